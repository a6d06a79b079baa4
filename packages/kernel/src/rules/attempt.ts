// Attempts: a step is granted its slot and runs; it ends, is lost, or times out.
//
//   T1. A result counts only under the epoch of its attempt and while that attempt is the current one (LEASE-2).
//   T2. Slot and resources are released on every way out (STATE-4).

import type { StepCompleted, StepStarted } from "../journal/event.ts";
import { quoteText } from "../data/describe-value.ts";
import type { Failure } from "../model/failure.ts";
import { gracePeriod, LOST_ATTEMPTS_MAX } from "../model/policy.ts";
import { epochMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { compileExpansion } from "../program/compile.ts";
import { sandboxedDefinition } from "../program/compile-scope.ts";
import { AdmitRecord, CompletedRecord, ReleaseRecord, RunRecord, StartedRecord } from "./attempt-records.ts";
import { backoffDelay, chance, isRetried } from "./backoff.ts";
import type { Decision } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { Happening, Outcome } from "./happening.ts";
import { renderCall, captureOutput, NO_CALL } from "./evaluate-step.ts";
import { stepName } from "../state/names.ts";
import { mayRun, mayStart } from "../state/permission.ts";
import { CANCELLING, RETRYING, RUNNING } from "../state/phase.ts";
import {
  compiledStep,
  isScope,
  isOrdinary,
  findRegion,
  ownTimeout,
  surroundings,
  enclosingWorkflow,
} from "../state/step-position.ts";
import { startedEvent, stopReason, type ResolvedCall, type State } from "../state/state.ts";
import { tooDeep } from "./scope-depth.ts";
import type { StoredValues } from "./stored-values.ts";

export function decideGranted(
  state: State,
  happening: Happening & { kind: "granted" },
  values: StoredValues,
): Decision {
  const { step } = happening;
  if (state.columns.queued[step] !== 1 || !mayStart(state, step) || !isCall(state, step))
    return ignore(state, "not-asked", new ReleaseRecord(step));
  const known = state.calls.size === 0 ? undefined : state.calls.get(step);
  const prepared = known ?? (state.preparedCalls.size === 0 ? undefined : state.preparedCalls.get(step));
  if (prepared !== undefined) return start(state, happening, prepared, known === undefined);
  const evaluated = renderCall(state, step, values);
  switch (evaluated.kind) {
    case "needs":
      return needs(evaluated.values);
    case "failure":
      return refuse(state, step, happening.at, evaluated.failure);
    case "evaluated":
      return start(state, happening, evaluated.value, true);
  }
}

function isCall(state: State, step: number): boolean {
  return isOrdinary(state, step) || compiledStep(state, step).work.kind === "call";
}

function refuse(state: State, step: StepIndex, at: EpochMs, failure: Failure): Decision {
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "step.failed", step, failure });
  builder.emitEffect(new ReleaseRecord(step));
  return builder.finish();
}

function start(state: State, happening: Happening & { kind: "granted" }, call: ResolvedCall, isNew: boolean): Decision {
  const { step } = happening;
  const worker = happening.worker === state.worker ? undefined : happening.worker;
  const builder = new DecisionBuilder(state, happening.at);
  const attempt = state.columns.attempts[step]! + 1;
  const epoch = state.columns.epoch[step]! + 1;
  const timeout = ownTimeout(state, step) ?? happening.timeout;
  const deadline = timeout === undefined ? undefined : epochMs(builder.at + timeout);
  const run = new RunRecord(step, attempt, epoch, call, deadline);
  const started = new StartedRecord(++builder.seq, builder.at, run, worker);
  builder.add(call === NO_CALL ? started : withCall(started, isNew ? call : NO_CALL));
  builder.emitEffect(run);
  return builder.finish();
}

function withCall(started: StepStarted, call: ResolvedCall): StepStarted {
  return {
    ...started,
    ...(call.value === undefined ? {} : { call: call.value }),
    ...(call.secrets.length === 0 ? {} : { secrets: call.secrets }),
  };
}

export function decideEnded(state: State, happening: Happening & { kind: "ended" }, values: StoredValues): Decision {
  const { step, epoch, outcome, at } = happening;
  const phase = state.columns.phase[step];
  if (state.columns.epoch[step] !== epoch) return ignore(state, "stale");
  if (phase === RUNNING) return end(state, step, outcome, at, values);
  if (phase !== CANCELLING || isScope(state, step)) return ignore(state, "stale");
  if (!state.overdue.has(step)) return endWithinGrace(state, step, outcome, at, values);
  const builder = new DecisionBuilder(state, at);
  endOverdue(state, step, builder);
  return builder.finish();
}

function end(state: State, step: StepIndex, outcome: Outcome, at: EpochMs, values: StoredValues): Decision {
  switch (outcome.kind) {
    case "succeeded": {
      const output = captureOutput(state, step, outcome.output, values);
      if (output.kind === "needs") return needs(output.values);
      if (output.kind === "failure") return failAttempt(state, step, output.failure, new DecisionBuilder(state, at));
      const builder = new DecisionBuilder(state, at);
      if (outcome.isLast === true || outcome.artifacts !== undefined)
        builder.emit({ kind: "step.completed", step, output: output.value, ...completionMarks(outcome) });
      else builder.add(new CompletedRecord(++builder.seq, builder.at, step, output.value));
      builder.emitEffect(new ReleaseRecord(step));
      return builder.finish();
    }
    case "failed":
      return failAttempt(state, step, outcome.failure, new DecisionBuilder(state, at));
    case "skipped": {
      const builder = new DecisionBuilder(state, at);
      builder.emit({ kind: "step.skipped", step, reason: { kind: "skipped-by-handler", message: outcome.message } });
      builder.emitEffect(new ReleaseRecord(step));
      return builder.finish();
    }
    case "expanded":
      return expand(state, step, outcome, at);
  }
}

function failAttempt(state: State, step: StepIndex, failure: Failure, builder: DecisionBuilder): Decision {
  builder.emitEffect(new ReleaseRecord(step));
  retryOrFail(state, step, failure, builder);
  return builder.finish();
}

/** FAIL-2: another attempt, if the policy allows one and the execution still runs steps. */
function retryOrFail(state: State, step: StepIndex, failure: Failure, builder: DecisionBuilder): void {
  const { retry } = compiledStep(state, step);
  const attempt = state.columns.attempts[step]!;
  if (!mayRun(state, step) || !isRetried(retry, failure, attempt))
    return builder.emit({ kind: "step.failed", step, failure });
  const seed = state.created?.seed ?? 0;
  const delay = backoffDelay(retry, failure, attempt, () => chance(seed, step, attempt, state.round));
  const dueAt = epochMs(builder.at + delay);
  builder.emit({ kind: "step.retried", step, failure, dueAt });
  builder.emitEffect({ kind: "arm", timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! }, dueAt });
}

function expand(state: State, step: StepIndex, outcome: Outcome & { kind: "expanded" }, at: EpochMs): Decision {
  if (!mayRun(state, step)) return endUnexpanded(state, step, at);
  const failure = expansionProblem(state, step, outcome);
  if (failure !== undefined) return failAttempt(state, step, failure, new DecisionBuilder(state, at));
  const builder = new DecisionBuilder(state, at);
  const { steps, result } = outcome;
  builder.emit({
    kind: "step.expanded",
    step,
    children: { kind: "steps", steps, ...(result === undefined ? {} : { result }) },
  });
  builder.emitEffect(new ReleaseRecord(step));
  return builder.finish();
}

/** CANCEL-3: the attempt ended normally, but its children would be new steps, and a draining execution starts nothing new. */
function endUnexpanded(state: State, step: StepIndex, at: EpochMs): Decision {
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "step.cancelled", step, ended: "itself", reason: stopReason(state, step) });
  builder.emitEffect(new ReleaseRecord(step));
  return builder.finish();
}

function expansionProblem(
  state: State,
  step: number,
  { steps, result }: Outcome & { kind: "expanded" },
): Failure | undefined {
  const depth = tooDeep(state, step);
  if (depth !== undefined) return depth;
  const { program } = findRegion(state, step);
  const definition = sandboxedDefinition(program.definition, enclosingWorkflow(state, step));
  const compiled = compileExpansion(definition, steps, surroundings(state, step));
  if (compiled.kind === "problems")
    return { class: "permanent", code: "EXPANSION_INVALID", message: compiled.problems[0]!.message };
  if (result === undefined || compiled.program.graph.indexById.has(result)) return undefined;
  return {
    class: "permanent",
    code: "EXPANSION_INVALID",
    message: `the result ${quoteText(result)} is not one of the steps that \`${stepName(state, step)}\` returned`,
  };
}

/** CANCEL-2: a value that arrives within the grace period counts; any other outcome is a cancellation. */
function endWithinGrace(state: State, step: StepIndex, outcome: Outcome, at: EpochMs, values: StoredValues): Decision {
  const builder = new DecisionBuilder(state, at);
  releaseStopping(state, step, builder);
  if (outcome.kind === "succeeded") {
    const output = captureOutput(state, step, outcome.output, values);
    if (output.kind === "needs") return needs(output.values);
    if (output.kind === "evaluated") {
      builder.emit({ kind: "step.completed", step, output: output.value, ...completionMarks(outcome) });
      return builder.finish();
    }
  }
  builder.emit({
    kind: "step.cancelled",
    step,
    ended: "itself",
    reason: stopReason(state, step),
    ...(outcome.kind === "failed" ? { failure: outcome.failure } : {}),
  });
  return builder.finish();
}

/** The parts of an outcome that few steps have. */
function completionMarks({
  isLast,
  artifacts,
}: Outcome & { kind: "succeeded" }): Pick<StepCompleted, "isLast" | "artifacts"> {
  return { ...(isLast === true ? { isLast } : {}), ...(artifacts === undefined ? {} : { artifacts }) };
}

/** FAIL-9: a lost attempt runs again under a higher epoch, up to a limit. */
export function decideLost(state: State, happening: Happening & { kind: "lost" }): Decision {
  const { step, epoch, reason, graceful, at } = happening;
  const phase = state.columns.phase[step];
  if (state.columns.epoch[step] !== epoch || (phase !== RUNNING && phase !== CANCELLING) || isScope(state, step))
    return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  if (state.overdue.has(step)) {
    endOverdue(state, step, builder);
    return builder.finish();
  }
  if (phase === CANCELLING) releaseStopping(state, step, builder);
  else builder.emitEffect(new ReleaseRecord(step));
  if (phase === CANCELLING || !mayRun(state, step)) {
    builder.emit({ kind: "step.cancelled", step, ended: "by-force", reason: stopReason(state, step) });
    return builder.finish();
  }
  builder.emit({ kind: "step.lost", step, reason, ...(graceful === undefined ? {} : { graceful }) });
  if (graceful === true) return builder.finish();
  const losses = (state.losses.get(step) ?? 0) + 1;
  if (losses >= LOST_ATTEMPTS_MAX) {
    builder.emit({
      kind: "execution.parked",
      cause: "attempts-lost",
      step,
      reason: `\`${stepName(state, step)}\` was lost ${losses} times: ${reason}`,
    });
    builder.emitEffect({ kind: "withdraw" });
  }
  return builder.finish();
}

/**
 * FAIL-4: an attempt that times out is told to stop and has its grace period, as in a cancellation; its outcome is a timeout
 * whatever it returns.
 */
export function decideAttemptDeadline(state: State, step: StepIndex, epoch: number, at: EpochMs): Decision {
  const started = startedEvent(state, step);
  const deadline = started?.deadline;
  if (
    state.columns.phase[step] !== RUNNING ||
    state.columns.epoch[step] !== epoch ||
    started === undefined ||
    deadline === undefined ||
    at < deadline
  )
    return ignore(state, "stale");
  const timeout = deadline - started.at;
  const failure: Failure = {
    class: "timeout",
    code: "ATTEMPT_TIMEOUT",
    message: `the attempt took longer than ${timeout} ms`,
  };
  const builder = new DecisionBuilder(state, at);
  const grace = gracePeriod(state.program.definition);
  if (grace === 0) {
    builder.emitEffect({ kind: "abort", step, epoch, force: true, reason: failure.message });
    return failAttempt(state, step, failure, builder);
  }
  const forceAt = epochMs(builder.at + grace);
  builder.emit({ kind: "step.overdue", step, failure, forceAt });
  builder.emitEffect({ kind: "abort", step, epoch, force: false, reason: failure.message });
  builder.emitEffect({ kind: "arm", timer: { kind: "grace-end", step, epoch }, dueAt: forceAt });
  return builder.finish();
}

/** A timed-out attempt has ended. It is not tried again if its step was told to stop for another reason since then. */
export function endOverdue(state: State, step: StepIndex, builder: DecisionBuilder): void {
  const { failure } = state.overdue.get(step)!;
  releaseStopping(state, step, builder);
  if (state.phaseEvents[step]?.kind === "step.overdue") retryOrFail(state, step, failure, builder);
  else builder.emit({ kind: "step.failed", step, failure });
}

/** An attempt that was told to stop has ended: its grace period is no longer measured. */
export function releaseStopping(state: State, step: StepIndex, builder: DecisionBuilder): void {
  builder.emitEffect(new ReleaseRecord(step));
  const epoch = state.columns.epoch[step]!;
  builder.emitEffect({ kind: "disarm", timer: { kind: "grace-end", step, epoch } });
}

/** The backoff is over: slot and resources are requested again, with the same call. */
export function decideBackoffOver(state: State, step: StepIndex, epoch: number, at: EpochMs): Decision {
  const event = state.phaseEvents[step];
  const isDue = event?.kind === "step.retried" && at >= event.dueAt;
  if (state.columns.phase[step] !== RETRYING || state.columns.epoch[step] !== epoch || !isDue)
    return ignore(state, "stale");
  if (state.columns.queued[step] === 1 || !mayStart(state, step)) return ignore(state, "already-held");
  const builder = new DecisionBuilder(state, at);
  builder.queue(step, state.calls.get(step));
  builder.emitEffect(new AdmitRecord(step));
  return builder.finish();
}
