// Coverage: the transitions of the kernel's table, the faults and the behaviours that a set of seeds has reached.

import {
  compiledStep,
  EXECUTION_TRANSITIONS,
  STEP_TRANSITIONS,
  type Event,
  type ExecutionStatus,
  type State,
  type StepStatus,
} from "@segno/kernel";
import { STORE_FAULTS } from "../../src/testing/faulty-store.ts";
import { BEHAVIOURS } from "./agents.ts";

/** Faults that the simulation itself causes. */
export const TROUBLES = [
  "process crashed",
  "process closed",
  "clock went forward",
  "clock went back",
  "sub-workflow redeployed",
  "start posted",
  "wish posted",
  "rubbish posted",
  "signal twice",
  "vote twice",
  "start joined",
  "start with a known id",
  "owner taken over",
  "ownership lost",
  "store copied",
  "store planted",
] as const;

export type Trouble = (typeof TROUBLES)[number];

/** Transitions that this engine cannot make, each with the reason. */
export const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  [
    "execution pending execution.cancelling cancelling",
    "create and begin are one turn, so no wish finds an execution pending",
  ],
  [
    "execution parked execution.cancelled cancelled",
    "only undoing can park what is being cancelled, one at a time, and cancelling lifts every other hold",
  ],
  [
    "execution validating execution.cancelling cancelling",
    "validation ends within the turn that begins it, so no wish finds an execution validating",
  ],
  ["execution cancelling execution.failed failed", "STATE-12: only a bug or a damaged journal leads there"],
]);

export class Coverage {
  readonly counts: Map<string, number> = new Map();

  constructor() {
    for (const name of allNames()) this.counts.set(name, 0);
  }

  count(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  add(other: ReadonlyMap<string, number>): void {
    for (const [name, times] of other) this.count(name, times);
  }

  /** Entries that should have been reached and were not. */
  get missed(): readonly string[] {
    return [...this.counts].filter(([name, times]) => times === 0 && !UNREACHABLE.has(name)).map(([name]) => name);
  }

  /** Entries that are declared unreachable, and were reached. */
  get surprises(): readonly string[] {
    return [...UNREACHABLE.keys()].filter((name) => (this.counts.get(name) ?? 0) > 0);
  }

  table(): string {
    const lines = [...this.counts].map(([name, times]) => {
      const reason = times === 0 ? (UNREACHABLE.get(name) ?? "MISSED") : "";
      return `${String(times).padStart(9)}  ${name}${reason === "" ? "" : `   (${reason})`}`;
    });
    return lines.join("\n");
  }
}

function allNames(): readonly string[] {
  return [
    ...EXECUTION_TRANSITIONS.map(({ from, on, to }) => `execution ${from} ${on} ${to}`),
    ...STEP_TRANSITIONS.map(({ from, on, to }) => `step ${from} ${on} ${to}`),
    ...STORE_FAULTS.map((fault) => `fault ${fault}`),
    ...TROUBLES.map((trouble) => `trouble ${trouble}`),
    ...BEHAVIOURS.map((behaviour) => `agent ${behaviour}`),
    "exact compared",
    "outcome compared",
  ];
}

export function executionTransition(
  from: ExecutionStatus | "none",
  event: Event,
  to: ExecutionStatus | "none",
): string {
  return `execution ${from} ${event.kind} ${to}`;
}

/**
 * The status of a step before an event, in terms of the table. The journal does not record `ready` and `queued`;
 * `asked` distinguishes them where it is known.
 */
export function statusBefore(
  state: State,
  step: number,
  phase: StepStatus,
  event: Event,
  isAsked: boolean,
): StepStatus {
  if (phase !== "waiting" && phase !== "retrying") return phase;
  switch (event.kind) {
    case "step.started":
      return "queued";
    case "step.suspended":
    case "step.skipped":
    case "step.completed":
      return "ready";
    case "step.expanded":
      return event.children.kind === "items" ? "ready" : "queued";
    case "step.failed": {
      const isWorkflow = compiledStep(state, step).work.kind === "workflow";
      const { code } = event.failure;
      return isWorkflow && (code === "WORKFLOW_UNKNOWN" || code === "INPUT_INVALID") ? "queued" : "ready";
    }
    default:
      if (isAsked) return "queued";
      return phase === "waiting" && state.columns.unmet[step] === 0 ? "ready" : phase;
  }
}
