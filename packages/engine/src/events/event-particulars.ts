// What a watch event says beyond the journal's own event (EVENT-1): names of the steps that it is about, whom a step calls, and
// how long it took. All of it follows from the definition and from the state, so the journal does not hold it.

import {
  agentName,
  listDependencies,
  durationUntil,
  stepName,
  type Event,
  type SkipReason,
  type State,
  type StepEnd,
  type StepStatus,
} from "@segno/kernel";

export interface EventParticulars {
  /** With `step.started`: the agent that it calls, where it calls one. */
  readonly agent?: string;
  /** With `step.started`: the steps that it depends on, as the definition has them in order. */
  readonly dependencies?: readonly string[];
  /** With an event that ends steps: how they ended. */
  readonly status?: StepStatus;
  /** With an event that ends a step: from its first start in the round to its end, all attempts and backoffs included. */
  readonly durationMs?: number;
  /** With an event about many steps: those. */
  readonly steps?: readonly string[];
  /** The other step that it speaks of: the dependency that failed, the primary that needed no fallback, the child that failed. */
  readonly cause?: string;
  /** With `execution.failed` and `execution.cancelled`: the steps that could not be undone, newest first (FAIL-8). */
  readonly notUndone?: readonly string[];
}

const NOTHING: EventParticulars = {};

export function toParticulars(state: State, event: Event): EventParticulars {
  switch (event.kind) {
    case "step.started":
      return startParticulars(state, event.step);
    case "step.completed":
      return endParticulars(state, event, "succeeded");
    case "step.failed":
      return endParticulars(state, event, "failed");
    case "step.skipped":
      return { ...endParticulars(state, event, "skipped"), ...skipParticulars(state, event.reason) };
    case "step.cancelled":
      return endParticulars(state, event, "cancelled");
    case "step.failing":
      return event.child === undefined ? NOTHING : { cause: stepName(state, event.child) };
    case "steps.skipped":
      return { steps: inRanges(state, event.steps), status: "skipped", ...skipParticulars(state, event.reason) };
    case "steps.cancelled":
      return { steps: inRanges(state, event.steps), status: "cancelled" };
    case "steps.cancelling":
      return { steps: inRanges(state, event.steps) };
    case "execution.compensating":
      return { steps: stepNames(state, event.steps) };
    case "execution.failed":
    case "execution.cancelled":
      return event.notUndone === undefined ? NOTHING : { notUndone: stepNames(state, event.notUndone) };
    default:
      return NOTHING;
  }
}

function startParticulars(state: State, step: number): EventParticulars {
  const agent = agentName(state, step);
  const dependencies = stepNames(state, listDependencies(state, step));
  return agent === undefined ? { dependencies } : { agent, dependencies };
}

function endParticulars(state: State, event: StepEnd, status: StepStatus): EventParticulars {
  const durationMs = durationUntil(state, event);
  return durationMs === undefined ? { status } : { status, durationMs };
}

function skipParticulars(state: State, reason: SkipReason): EventParticulars {
  if (reason.kind === "dependency-failed") return { cause: stepName(state, reason.dependency) };
  return reason.kind === "fallback-unused" ? { cause: stepName(state, reason.primary) } : NOTHING;
}

function stepNames(state: State, steps: readonly number[]): readonly string[] {
  return steps.map((step) => stepName(state, step));
}

function inRanges(state: State, ranges: readonly (readonly [number, number])[]): readonly string[] {
  const names: string[] = [];
  for (const [first, last] of ranges) for (let step = first; step <= last; step++) names.push(stepName(state, step));
  return names;
}
