// Fold: a state and an event give the next state. Fold owns the state and advances it in place, because copying costs
// milliseconds an event at 10,000 steps.
//
//   F1. Fold evaluates nothing; an event records the result of every evaluation (JOURNAL-2).
//   F2. An event that does not follow, or a transition that is not in the table, is a bug and throws (STATE-2, JOURNAL-4).

import { invariant } from "../errors/invariant-violation.ts";
import { findBreak } from "../journal/chain.ts";
import type { Event, ExecutionEvent, MassEvent, MessageEvent, StepEvent, StepRecorded } from "../journal/event.ts";
import { clearAgenda } from "./agenda.ts";
import { voteKey, withVote } from "./votes.ts";
import { compensationProgram } from "./compensation.ts";
import { readyAll } from "./item-window.ts";
import { openIteration, openScope } from "./open-scope.ts";
import { move, satisfies, settle, settleFailure } from "./move.ts";
import {
  CANCELLED,
  CANCELLING,
  FAILED,
  OPEN,
  RETRYING,
  RUNNING,
  SKIPPED,
  SUCCEEDED,
  SUSPENDED,
  WAITING,
  type ExecutionStatus,
} from "./phase.ts";
import { isUndoing } from "./permission.ts";
import { reopenTolerated } from "./reopen-tolerated.ts";
import { beginRound, reopenFailed } from "./reopen.ts";
import { begin } from "./step-times.ts";
import { compiledStep, isOrdinary, findRegion, lastChildRegion } from "./step-position.ts";
import { addRegion, executionStatus, type State } from "./state.ts";
import { assertExecutionTransition } from "./transition-index.ts";

/** Applies an event of the journal to a state, which it changes and returns. */
export function fold(state: State, event: Event): State {
  const problem = findBreak(state, event);
  invariant(problem === undefined, "JOURNAL-4", problem ?? "");
  state.seq = event.seq;
  state.at = event.at;
  switch (event.kind) {
    case "step.started":
    case "step.completed":
    case "step.recorded":
    case "step.retried":
    case "step.failed":
    case "step.skipped":
    case "step.suspended":
    case "step.expanded":
    case "step.repeated":
    case "step.failing":
    case "step.overdue":
    case "step.lost":
    case "step.cancelled":
      foldStep(state, event);
      break;
    case "steps.skipped":
    case "steps.cancelled":
    case "steps.cancelling":
      foldMany(state, event);
      break;
    case "signal.received":
    case "signal.refused":
    case "approval.voted":
    case "approval.refused":
      foldMessage(state, event);
      break;
    default:
      foldExecution(state, event);
  }
  return state;
}

function foldStep(state: State, event: StepEvent): void {
  const { step } = event;
  switch (event.kind) {
    case "step.started":
      move(state, step, RUNNING, event);
      if (event.worker !== undefined) state.worker = event.worker;
      state.columns.attempts[step] = event.attempt;
      state.columns.epoch[step] = event.epoch;
      begin(state, step, event.at);
      if (event.call !== undefined) state.calls.set(step, { value: event.call, secrets: event.secrets ?? [] });
      return;
    case "step.completed":
      move(state, step, SUCCEEDED, event);
      begin(state, step, event.at);
      if (event.signal !== undefined) state.signals.pending.delete(event.signal);
      if (canBeUndone(state, step)) state.compensable.push(step);
      return settle(state, step, true);
    case "step.recorded":
      return addRecordedCall(state, event);
    case "step.retried":
      if (event.failure.isUncounted === true) state.columns.attempts[step]!--;
      return move(state, step, RETRYING, event);
    case "step.failed":
      move(state, step, FAILED, event);
      begin(state, step, event.at);
      return settleFailure(state, step);
    case "step.skipped":
      move(state, step, SKIPPED, event);
      return settle(state, step, satisfies(event.reason));
    case "step.suspended":
      move(state, step, SUSPENDED, event);
      begin(state, step, event.at);
      if (event.wait.kind === "signal") awaitSignal(state, event.wait.signal, step);
      return;
    case "step.expanded":
      move(state, step, OPEN, event);
      begin(state, step, event.at);
      return openScope(state, event);
    case "step.repeated":
      return openIteration(state, lastChildRegion(state, step), event.iteration);
    case "step.failing":
      lastChildRegion(state, step).failure = { failure: event.failure, child: event.child };
      return;
    case "step.overdue":
      move(state, step, CANCELLING, event);
      state.overdue.set(step, event);
      return;
    case "step.lost":
      return foldLost(state, event);
    case "step.cancelled":
      move(state, step, CANCELLED, event);
      return settle(state, step, false);
  }
}

/** STATE-14. */
function addRecordedCall(state: State, event: StepRecorded): void {
  const calls = state.recordedCalls.get(event.step);
  const key = event.key ?? event.name;
  if (calls === undefined) state.recordedCalls.set(event.step, new Map([[key, event]]));
  else calls.set(key, event);
}

/** FAIL-8: a compensation is never undone itself. */
function canBeUndone(state: State, step: number): boolean {
  if (isOrdinary(state, step) || compiledStep(state, step).compensation === undefined) return false;
  return !isUndoing(state, findRegion(state, step));
}

function awaitSignal(state: State, signal: string, step: number): void {
  const waiting = state.signals.waiting.get(signal);
  if (waiting === undefined) state.signals.waiting.set(signal, new Set([step]));
  else waiting.add(step);
  state.agenda.matchSignals = true;
}

/** A lost attempt does not count against the retry policy, so the next attempt has the same number and a higher epoch. */
function foldLost(state: State, event: StepEvent & { kind: "step.lost" }): void {
  move(state, event.step, WAITING, event);
  state.columns.attempts[event.step]!--;
  if (event.graceful !== true) state.losses.set(event.step, (state.losses.get(event.step) ?? 0) + 1);
  state.agenda.ready.add(event.step);
}

function foldMany(state: State, event: MassEvent): void {
  for (const [from, to] of event.steps) for (let step: number = from; step <= to; step++) foldOne(state, step, event);
}

function foldOne(state: State, step: number, event: MassEvent): void {
  switch (event.kind) {
    case "steps.skipped":
      move(state, step, SKIPPED, event);
      return settle(state, step, satisfies(event.reason));
    case "steps.cancelled":
      move(state, step, CANCELLED, event);
      return settle(state, step, false);
    case "steps.cancelling":
      return move(state, step, CANCELLING, event);
  }
}

function foldMessage(state: State, event: MessageEvent): void {
  switch (event.kind) {
    case "signal.received":
      state.signals.seen.add(event.id);
      state.signals.pending.set(event.id, { name: event.name, payload: event.payload });
      state.agenda.matchSignals = true;
      return;
    case "signal.refused":
      state.signals.refused.add(`${event.step} ${event.id}`);
      return;
    case "approval.voted":
      state.votes.set(event.step, withVote(state.votes.get(event.step) ?? [], event));
      state.seenVotes.add(voteKey(event.step, event.id));
      return;
    case "approval.refused":
      state.seenVotes.add(voteKey(event.step, event.id));
  }
}

function foldExecution(state: State, event: ExecutionEvent): void {
  const before = executionStatus(state);
  apply(state, event);
  assertExecutionTransition(before, event.kind, executionStatus(state) as ExecutionStatus);
}

function apply(state: State, event: ExecutionEvent): void {
  switch (event.kind) {
    case "execution.created":
      state.created = event;
      state.beganAt = event.at;
      state.baseStatus = "pending";
      return;
    case "execution.validating":
      state.baseStatus = "validating";
      return;
    case "execution.started":
      return start(state, event);
    case "execution.paused":
      return setHold(state, { kind: "paused" });
    case "execution.parked":
      return setHold(state, { kind: "parked", cause: event.cause, reason: event.reason, step: event.step });
    case "execution.resumed":
      // A person has dealt with the lost attempts, so their count starts again (FAIL-9).
      if (state.hold?.kind === "parked") state.losses.clear();
      state.hold = undefined;
      return readyAll(state, 0, state.phaseEvents.length);
    case "execution.failing":
      state.baseStatus = "failing";
      state.failure = { failure: event.failure, step: event.step };
      return;
    case "execution.cancelling":
      return cancel(state, event);
    case "execution.compensating":
      return compensate(state, event.steps);
    case "execution.completed":
      state.result = event.output;
      return end(state, "completed");
    case "execution.failed":
      state.failure = { failure: event.failure, step: event.step };
      return end(state, "failed");
    case "execution.cancelled":
      return end(state, "cancelled");
    case "execution.reopened":
      beginRound(state, event);
      return event.only === "tolerated" ? reopenTolerated(state, event) : reopenFailed(state, event);
  }
}

function end(state: State, status: ExecutionStatus): void {
  state.baseStatus = status;
  state.endedAt = state.at;
  state.hold = undefined;
  clearAgenda(state.agenda);
}

function start(state: State, event: ExecutionEvent & { kind: "execution.started" }): void {
  state.baseStatus = "running";
  state.startedAt = event.at;
  state.deadline = event.deadline;
  readyAll(state, 0, state.phaseEvents.length);
  if (state.regions[0]!.unsettled === 0) state.agenda.settledRegions.add(0);
}

/** Cancelling ends a hold, and a compensation continues. An execution in which nothing is left to end, ends now. */
function cancel(state: State, event: ExecutionEvent & { kind: "execution.cancelling" }): void {
  const wasHeld = state.hold !== undefined;
  state.baseStatus = "cancelling";
  state.hold = undefined;
  state.cancelling = event;
  if (wasHeld) readyAll(state, 0, state.phaseEvents.length);
  if (state.regions[0]!.unsettled === 0) state.agenda.settledRegions.add(0);
}

/** Steps leave the queue: a held execution starts nothing, and the requests are made again when it continues (CANCEL-7). */
function setHold(state: State, reason: NonNullable<State["hold"]>): void {
  state.hold = reason;
  state.columns.queued.fill(0);
  state.queuedCount = 0;
  state.preparedCalls.clear();
  state.agenda.ready.clear();
}

function compensate(state: State, steps: readonly number[]): void {
  resumeForCompensation(state);
  const program = compensationProgram(state, steps);
  const region = addRegion(state, {
    kind: "compensation",
    program,
    instances: 1,
    parent: -1,
    depth: 0,
    value: undefined,
    result: -1,
    undoes: steps,
  });
  steps.forEach((step, position) => {
    keepCallsOfUndoing(state, step, region.base + position);
    state.undoes.set(region.base + position, step);
  });
  readyAll(state, region.base, region.base + region.size);
}

/** STATE-14: a compensation that did not succeed, and is tried again as a new step, does not repeat its recorded calls. */
function keepCallsOfUndoing(state: State, undone: number, compensation: number): void {
  const earlier = state.regions.findLast(
    ({ undoes, base }) => undoes.includes(undone) && base + undoes.length <= compensation,
  );
  if (earlier === undefined) return;
  const former = earlier.base + earlier.undoes.indexOf(undone);
  const calls = state.recordedCalls.get(former);
  if (calls !== undefined && state.columns.phase[former] !== SUCCEEDED)
    state.recordedCalls.set(compensation, new Map(calls));
}

/** A compensation that continues after the end keeps the recorded end of the execution, and has no deadline. */
function resumeForCompensation(state: State): void {
  if (state.baseStatus === "failed") state.baseStatus = "failing";
  else if (state.baseStatus === "cancelled") state.baseStatus = "cancelling";
  else return;
  state.beganAt = state.at;
  state.endedAt = undefined;
  state.deadline = undefined;
}

/** Folds a whole journal, from an empty state. */
export function foldAll(state: State, events: Iterable<Event>): State {
  for (const event of events) fold(state, event);
  return state;
}
