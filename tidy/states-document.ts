// docs/states.md, from the tables that the kernel moves by.

import type { ExecutionStatus, StepStatus } from "../packages/kernel/src/state/phase.ts";
import {
  EXECUTION_TRANSITIONS,
  STEP_TRANSITIONS,
  type ExecutionTransition,
  type StepTransition,
} from "../packages/kernel/src/state/transitions.ts";

type Transition = StepTransition | ExecutionTransition;

const STEPS_END: readonly StepStatus[] = ["succeeded", "failed", "skipped", "cancelled"];
const EXECUTIONS_END: readonly ExecutionStatus[] = ["completed", "failed", "cancelled"];

/** How Mermaid writes the point before the first state and after the last one. */
const OUTSIDE = "[*]";

export function statesDocument(): string {
  return [
    "# States",
    "",
    "`npm run generate` makes this document from `packages/kernel/src/state/transitions.ts`, the table of transitions that `fold`",
    "uses. A transition that is not in the table is a bug and stops its execution (STATE-2). The rules are in",
    "[semantics.md](semantics.md).",
    "",
    "## Steps",
    "",
    "`ready` and `queued` are derived and are never written: their causes are descriptions, not events. An ended step changes its",
    "state again only when `retry` opens a new round; the table has these transitions, and the diagram leaves them out.",
    "",
    ...diagram(STEP_TRANSITIONS, STEPS_END, ["waiting"]),
    "",
    ...table(STEP_TRANSITIONS),
    "",
    "## Executions",
    "",
    "`paused` and `parked` stop an execution temporarily. A failing execution that is paused is still shown as failing; a parked",
    "execution is always shown as parked. The table has transitions to the same state, and the diagram leaves them out.",
    "",
    ...diagram(EXECUTION_TRANSITIONS, EXECUTIONS_END, []),
    "",
    ...table(EXECUTION_TRANSITIONS),
    "",
  ].join("\n");
}

function diagram(rows: readonly Transition[], ends: readonly string[], starts: readonly string[]): string[] {
  const arrows = new Map<string, string[]>();
  for (const { from, on, to } of rows.filter((row) => isDrawn(row, ends))) {
    const arrow = `${from === "none" ? OUTSIDE : from} --> ${to}`;
    const causes = arrows.get(arrow) ?? [];
    if (!causes.includes(on)) causes.push(on);
    arrows.set(arrow, causes);
  }
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...starts.map((start) => `    ${OUTSIDE} --> ${start}`),
    ...[...arrows].map(([arrow, causes]) => `    ${arrow}: ${causes.join(", ")}`),
    ...ends.map((end) => `    ${end} --> ${OUTSIDE}`),
    "```",
  ];
}

/** Of a step, what happens within a round; of an execution, its new round too; neither stands still in a drawing. */
function isDrawn({ from, on, to }: Transition, ends: readonly string[]): boolean {
  return from !== to && (ends === EXECUTIONS_END || on !== "execution.reopened");
}

function table(rows: readonly Transition[]): string[] {
  return [
    "| from | on | to | why | rule |",
    "|---|---|---|---|---|",
    ...rows.map(({ from, on, to, why, rule }) => `| ${state(from)} | ${cause(on)} | ${state(to)} | ${why} | ${rule} |`),
  ];
}

const state = (name: string): string => (name === "none" ? "*nothing*" : `\`${name}\``);
const cause = (on: string): string => (on.includes(".") ? `\`${on}\`` : `*${on}*`);
