// How far the tasks of an execution are, as a task backend has to know it. Read from the status of the execution.

import type { ExecutionReport, StepReport } from "@segno/engine";
import { isTerminalStatus } from "@segno/kernel";

/** A task of which a session has begun. */
export interface BegunTask {
  readonly taskId: string;
  /** `working`: from the first session to the landing, waits for people and pauses included. */
  readonly kind: "working" | "landed" | "failed";
  /** Why it failed. */
  readonly error?: string;
}

const SESSION = /^((?:more-tasks\/)*)session-([^/]+)$/u;

export function begunTasks(report: ExecutionReport): readonly BegunTask[] {
  const byName = new Map(report.steps.map((step) => [step.name, step]));
  return report.steps.flatMap((session) => {
    const [, scope = "", taskId] = SESSION.exec(session.name) ?? [];
    if (taskId === undefined || session.startedAt === undefined) return [];
    return [{ taskId, ...taskEnd(report, session, byName.get(`${scope}merge-${taskId}`)) }];
  });
}

function taskEnd(
  report: ExecutionReport,
  session: StepReport,
  merge: StepReport | undefined,
): Omit<BegunTask, "taskId"> {
  if (merge?.status === "succeeded") return { kind: "landed" };
  const error = failureMessage(merge) ?? failureMessage(session);
  if (error !== undefined) return { kind: "failed", error };
  return hasEnded(report) ? { kind: "failed", error: endReason(report) } : { kind: "working" };
}

export function hasEnded({ status }: ExecutionReport): boolean {
  return status !== "none" && isTerminalStatus(status);
}

/** Why an execution ended that did not complete. */
export function endReason({ reason, failedStep, steps, status }: ExecutionReport): string {
  return reason ?? failureMessage(steps.find(({ name }) => name === failedStep)) ?? `the workflow was ${status}`;
}

function failureMessage(step: StepReport | undefined): string | undefined {
  return step?.status === "failed" && step.detail.kind === "failure" ? step.detail.failure.message : undefined;
}
