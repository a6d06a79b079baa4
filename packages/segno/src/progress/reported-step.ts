// Reads steps from a report.

import type { StepReport } from "@segno/engine";

import { omitUndefined } from "../plan/omit-undefined.ts";
import type { StepIdentity, StepProgress } from "./step-progress.ts";

export function identityIn(report: StepReport): StepIdentity {
  const { place, name, label, parent, undoes, workflow, undone, attemptsMax } = report;
  return { index: place, name, ...omitUndefined({ label, parent, undoes, workflow, undone, attemptsMax }) };
}

/** A step without events waits, unless it is disabled: a disabled step never has events. */
export function firstSight(report: StepReport): StepProgress {
  const isDisabled = report.status === "skipped" && report.detail.kind === "none";
  const base = { ...identityIn(report), attempt: 0 };
  return isDisabled ? { ...base, status: "skipped", skip: { kind: "disabled" } } : { ...base, status: "waiting" };
}

/** The current status; a report does not have the time since when it holds. */
export function reportedStep(report: StepReport): StepProgress {
  const { status, attempts, detail, startedAt, completedAt } = report;
  const times = omitUndefined({ startedAt, endedAt: completedAt });
  const base = { ...identityIn(report), status, attempt: attempts, ...times };
  switch (detail.kind) {
    case "failure":
      return { ...base, failure: detail.failure, ...omitUndefined({ dueAt: detail.dueAt }) };
    case "skip":
      return { ...base, skip: detail.reason };
    case "wait":
      return { ...base, wait: detail.wait, ...omitUndefined({ votes: detail.votes }), ...dueTime(detail.wait) };
    case "stopped":
      return { ...base, stopped: detail.ended, reason: detail.reason };
    case "stopping":
      return { ...base, dueAt: detail.forceAt, reason: detail.reason };
    case "none":
    case "output":
      return base;
  }
}

export function dueTime(wait: NonNullable<StepProgress["wait"]>): Pick<StepProgress, "dueAt"> {
  return omitUndefined({ dueAt: wait.kind === "timer" ? wait.dueAt : wait.expiresAt });
}
