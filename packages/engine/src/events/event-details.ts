// Details of a public event beyond the journal's own event (EVENT-1): step names, the called agent, and durations. They
// follow from the definition and the state, so the journal does not store them.

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

/** Facts that an event does not have itself and that the engine adds for subscribers. */
export interface EventDetails {
  /** For `step.started`: the agent that it calls, if it calls one. */
  readonly agent?: string;
  /** For `step.started`: the dependencies of the step, in the order of the definition. */
  readonly dependencies?: readonly string[];
  /** For an event that ends steps: their status. */
  readonly status?: StepStatus;
  /**
   * For an event that ends a step: the time from its first start in the round to its end, including all attempts and
   * backoffs.
   */
  readonly durationMs?: number;
  /** For an event about many steps: their names. */
  readonly steps?: readonly string[];
  /**
   * The other step that the event refers to: the failed dependency, the primary that needed no fallback, or the failed
   * child.
   */
  readonly cause?: string;
  /** For `execution.failed` and `execution.cancelled`: the steps that could not be undone, newest first (FAIL-8). */
  readonly notUndone?: readonly string[];
}

const NOTHING: EventDetails = {};

export function eventDetails(state: State, event: Event): EventDetails {
  switch (event.kind) {
    case "step.started":
      return startDetails(state, event.step);
    case "step.completed":
      return endDetails(state, event, "succeeded");
    case "step.failed":
      return endDetails(state, event, "failed");
    case "step.skipped":
      return { ...endDetails(state, event, "skipped"), ...skipDetails(state, event.reason) };
    case "step.cancelled":
      return endDetails(state, event, "cancelled");
    case "step.failing":
      return event.child === undefined ? NOTHING : { cause: stepName(state, event.child) };
    case "steps.skipped":
      return { steps: inRanges(state, event.steps), status: "skipped", ...skipDetails(state, event.reason) };
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

function startDetails(state: State, step: number): EventDetails {
  const agent = agentName(state, step);
  const dependencies = stepNames(state, listDependencies(state, step));
  return agent === undefined ? { dependencies } : { agent, dependencies };
}

function endDetails(state: State, event: StepEnd, status: StepStatus): EventDetails {
  const durationMs = durationUntil(state, event);
  return durationMs === undefined ? { status } : { status, durationMs };
}

function skipDetails(state: State, reason: SkipReason): EventDetails {
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
