// The rules of processing, written as plainly as they read and for clearness only: what a result must say for steps, the
// ones that cannot be made into actions, and a failure strategy. The planner is compared with it on random workflows.

import type { FailureStrategy, WorkflowStep } from "@segno/planner";
import { step, type Outline, type Written } from "./fixture.ts";

export interface Row {
  readonly name: string;
  readonly after: readonly string[];
  readonly enabled: boolean;
  readonly fails: boolean;
  readonly skipOnFailure: boolean;
  readonly errorAction: "stop" | "continue" | "retry" | "compensate" | undefined;
}

export function builtStep({ name, after, enabled, skipOnFailure, errorAction }: Row): WorkflowStep {
  const written: Written = { after, enabled, skipOnFailure };
  return step(name, errorAction === undefined ? written : { ...written, errorAction });
}

/** GRAPH-2, GRAPH-5: wave by wave, as declared inside; disabled steps are not in the graph. */
export function emissionOrder(rows: readonly Row[]): Row[] {
  let left = rows.filter(({ enabled }) => enabled);
  const ordered: Row[] = [];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const wave = left.filter(({ after }) => !after.some((name) => waiting.has(name)));
    if (wave.length === 0) throw new Error("the reference takes no cycles");
    ordered.push(...wave);
    left = left.filter((row) => !wave.includes(row));
  }
  return ordered;
}

/** PLAN-8 to PLAN-11. */
export function expectedOutline(rows: readonly Row[], strategy: FailureStrategy | undefined): Outline {
  const disabled = new Set(rows.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const completed: string[] = [];
  const failed: string[] = [];
  const blocked: string[] = [];
  let isStopped = false;
  for (const row of emissionOrder(rows)) {
    if (isStopped) break;
    if (!row.after.every((name) => completed.includes(name) || disabled.has(name))) blocked.push(row.name);
    else if (row.skipOnFailure && failed.length > 0) continue;
    else if (!row.fails) completed.push(row.name);
    else {
      failed.push(row.name);
      isStopped = stops(row, strategy);
    }
  }
  if (!isStopped) failed.push(...blocked);
  const settled = new Set([...completed, ...failed]);
  return {
    status: failed.length > 0 ? "failed" : "completed",
    completed,
    failed: failed.toSorted(),
    skipped: rows.map(({ name }) => name).filter((name) => !settled.has(name)),
  };
}

function stops({ errorAction }: Row, strategy: FailureStrategy | undefined): boolean {
  return (errorAction ?? (strategy === "continue_on_error" ? "continue" : "stop")) === "stop";
}
