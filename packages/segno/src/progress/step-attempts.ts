// The attempts of a step, and the input that they got, as its events record them.
//   A1. An attempt begins with `step.started` and ends with the next event that takes the step out of its work.
//   A2. A number is unique in its round only: a new round counts from 1 again.

import type { Event, ExpansionRecord, Failure, SkipReason, StepStarted, Value } from "@segno/kernel";

export type AttemptOutcome =
  | "running"
  | "succeeded"
  | "failed"
  | "skipped"
  | "lost"
  | "cancelled"
  | "suspended"
  | "expanded";

export interface ShownAttempt {
  readonly round: number;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome: AttemptOutcome;
  readonly failure?: Failure;
  /** Why the attempt was lost, cancelled or skipped. */
  readonly reason?: string;
  /** The time of the next attempt. */
  readonly dueAt?: number;
}

type AttemptEnding = Pick<ShownAttempt, "outcome" | "failure" | "reason" | "dueAt">;

/** The attempts of the step with this index, oldest first. */
export function listAttempts(events: Iterable<Event>, step: number): readonly ShownAttempt[] {
  const attempts: ShownAttempt[] = [];
  let round = 1;
  for (const event of events) {
    if (event.kind === "execution.reopened") round = event.round;
    if (!("step" in event) || event.step !== step) continue;
    if (event.kind === "step.started") {
      attempts.push({ round, attempt: event.attempt, startedAt: event.at, outcome: "running" });
      continue;
    }
    const last = attempts.at(-1);
    const end = last?.outcome === "running" ? attemptEnd(event) : undefined;
    if (last !== undefined && end !== undefined) attempts[attempts.length - 1] = { ...last, endedAt: event.at, ...end };
  }
  return attempts;
}

function attemptEnd(event: Event): AttemptEnding | undefined {
  switch (event.kind) {
    case "step.completed":
      return { outcome: "succeeded" };
    case "step.retried":
      return { outcome: "failed", failure: event.failure, dueAt: event.dueAt };
    case "step.failed":
      return { outcome: "failed", failure: event.failure };
    case "step.skipped":
      return { outcome: "skipped", ...skipMessage(event.reason) };
    case "step.lost":
      return { outcome: "lost", reason: event.reason };
    case "step.cancelled":
      return {
        outcome: "cancelled",
        reason: event.reason,
        ...(event.failure === undefined ? {} : { failure: event.failure }),
      };
    case "step.suspended":
      return { outcome: "suspended" };
    case "step.expanded":
      return { outcome: "expanded" };
    default:
      return undefined;
  }
}

function skipMessage(reason: SkipReason): Pick<ShownAttempt, "reason"> {
  return "message" in reason ? { reason: reason.message } : {};
}

/** The call of the last round: later attempts of a round get the call of its first attempt. */
export function lastCall(events: readonly Event[], step: number): Pick<StepStarted, "call" | "secrets"> | undefined {
  const isCall = (event: Event): event is StepStarted =>
    event.kind === "step.started" && event.step === step && event.call !== undefined;
  return events.findLast(isCall);
}

/** The steps that the step opened into last. */
export function lastExpansion(events: readonly Event[], step: number): ExpansionRecord | undefined {
  const event = events.findLast((each) => each.kind === "step.expanded" && each.step === step);
  return event?.kind === "step.expanded" ? event.children : undefined;
}

/** The value that a scope opened with: the items of a map, or the input of a called workflow. */
export function expansionValue(expansion: ExpansionRecord | undefined): Value | undefined {
  switch (expansion?.kind) {
    case "items":
      return expansion.items;
    case "workflow":
      return expansion.input;
    default:
      return undefined;
  }
}
