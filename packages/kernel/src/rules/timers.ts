// Timers: every time that an execution waits for, derived from its state. They are armed again after a journal was folded.

import type { EpochMs, StepIndex } from "../model/units.ts";
import type { Timer } from "./happening.ts";
import { CANCELLING, isTerminalStatus, OPEN, RETRYING, RUNNING, SUSPENDED } from "../state/phase.ts";
import { compiledStep, isScope, lastChildRegion } from "../state/step-position.ts";
import { scopeDeadline } from "./scope-deadline.ts";
import { stepCount, type State } from "../state/state.ts";
import { ROOT_SCOPE, scopesWithStoppable } from "./stoppable.ts";

export interface DueTimer {
  readonly timer: Timer;
  readonly dueAt: EpochMs;
}

/** The steps that were told to stop. If those are only attempts that timed out, the other steps are not examined. */
export function stoppingSteps(state: State): readonly StepIndex[] {
  const { counts, columns, overdue } = state;
  if (counts[CANCELLING] === overdue.size) return ([...overdue.keys()] as StepIndex[]).toSorted((a, b) => a - b);
  const steps: StepIndex[] = [];
  for (let step = 0; step < stepCount(state); step++)
    if (columns.phase[step] === CANCELLING) steps.push(step as StepIndex);
  return steps;
}

/** When a stopping step is killed: the earliest of the times that it was given. */
export function forceTime(state: State, step: number): EpochMs | undefined {
  const event = state.phaseEvents[step];
  const overdueAt = state.overdue.get(step)?.forceAt;
  if (event?.kind !== "steps.cancelling") return overdueAt;
  return overdueAt !== undefined && overdueAt < event.forceAt ? overdueAt : event.forceAt;
}

/**
 * The timers that change something when they fire. Other timers would be due for as long as the execution waits, and keep it in
 * memory: a backoff in a paused execution, which is armed again when the hold ends, and the deadline of a failing scope that
 * has only its clean-up left.
 */
export function listTimers(state: State): readonly DueTimer[] {
  const timers: DueTimer[] = [];
  if (state.baseStatus === "none" || isTerminalStatus(state.baseStatus)) return timers;
  const isObsolete = obsoleteDeadlines(state);
  if (state.deadline !== undefined && state.baseStatus !== "cancelling" && !isObsolete(ROOT_SCOPE))
    timers.push({ timer: { kind: "execution-deadline" }, dueAt: state.deadline });
  for (let step = 0; step < stepCount(state); step++) {
    if (state.hold !== undefined && state.columns.phase[step] === RETRYING) continue;
    const timer = stepTimer(state, step as StepIndex);
    if (timer?.timer.kind === "scope-deadline" && isObsolete(step)) continue;
    if (timer !== undefined) timers.push(timer);
  }
  return timers;
}

/** Whether the execution, or an open step, fails and has nothing left to stop. */
function obsoleteDeadlines(state: State): (scope: number) => boolean {
  let scopes: ReadonlySet<number> | undefined;
  return (scope) => {
    const isFailing =
      scope === ROOT_SCOPE ? state.baseStatus === "failing" : lastChildRegion(state, scope).failure !== undefined;
    return isFailing && !(scopes ??= scopesWithStoppable(state)).has(scope);
  };
}

/** The backoffs of all steps that wait for another attempt, also while nothing may start. */
export function listBackoffs(state: State): readonly DueTimer[] {
  const backoffs: DueTimer[] = [];
  for (let step = 0; step < stepCount(state); step++) {
    const backoff = state.columns.phase[step] === RETRYING ? stepTimer(state, step as StepIndex) : undefined;
    if (backoff !== undefined) backoffs.push(backoff);
  }
  return backoffs;
}

/** When a timer is due, if the state still waits for it. */
export function dueTime(state: State, timer: Timer): EpochMs | undefined {
  if (timer.kind === "execution-deadline")
    return state.baseStatus === "running" || state.baseStatus === "failing" ? state.deadline : undefined;
  const due = stepTimer(state, timer.step);
  if (due?.timer.kind !== timer.kind) return undefined;
  return "epoch" in timer && "epoch" in due.timer && timer.epoch !== due.timer.epoch ? undefined : due.dueAt;
}

/** Whether the user wrote the time of the timer, as in `wait until` a date. Every other timer is the end of a duration. */
export function isAbsoluteTime(state: State, timer: Timer): boolean {
  return timer.kind === "wait" && compiledStep(state, timer.step).work.kind === "time";
}

function stepTimer(state: State, step: StepIndex): DueTimer | undefined {
  const event = state.phaseEvents[step];
  const epoch = state.columns.epoch[step]!;
  switch (state.columns.phase[step]) {
    case RUNNING:
      return event?.kind === "step.started" && event.deadline !== undefined
        ? { timer: { kind: "attempt-deadline", step, epoch }, dueAt: event.deadline }
        : undefined;
    case RETRYING:
      return event?.kind === "step.retried"
        ? { timer: { kind: "backoff", step, epoch }, dueAt: event.dueAt }
        : undefined;
    case SUSPENDED: {
      if (event?.kind !== "step.suspended") return undefined;
      const dueAt = event.wait.kind === "timer" ? event.wait.dueAt : event.wait.expiresAt;
      return dueAt === undefined ? undefined : { timer: { kind: "wait", step }, dueAt };
    }
    case CANCELLING: {
      const dueAt = isScope(state, step) ? undefined : forceTime(state, step);
      return dueAt === undefined ? undefined : { timer: { kind: "grace-end", step, epoch }, dueAt };
    }
    case OPEN: {
      const dueAt = scopeDeadline(state, step);
      return dueAt === undefined ? undefined : { timer: { kind: "scope-deadline", step }, dueAt };
    }
    default:
      return undefined;
  }
}
