// Control: creates, starts, cancels, pauses, parks, resumes and retries an execution.

import { endOverdue, releaseStopping } from "./attempt.ts";
import { gracePeriod } from "../model/policy.ts";
import type { Failure } from "../model/failure.ts";
import { epochMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { notUndone } from "../state/compensation.ts";
import { ContextMaker } from "./context.ts";
import { ACCEPTED, type Decision, type IgnoreReason } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { CreateHappening, Happening } from "./happening.ts";
import { mismatch } from "./evaluate-step.ts";
import { stepName } from "../state/names.ts";
import { CANCELLING, isTerminalStatus, OPEN, RETRYING, RUNNING, SUSPENDED, WAITING } from "../state/phase.ts";
import { isScope } from "../state/step-position.ts";
import { stepCount, stopReason, type State } from "../state/state.ts";
import { toleratedFailureCount } from "../state/tolerated.ts";
import { stopCancelled, stopFailing, stopUndoing } from "./stop.ts";
import { listBackoffs, stoppingSteps } from "./timers.ts";
import type { StoredValues } from "./stored-values.ts";

export function decideCreate(state: State, happening: CreateHappening): Decision {
  const { at, execution, definition, input, seed, correlationId, workflows = [], priority = 0, key } = happening;
  const { labels, traceparent } = happening;
  if (state.baseStatus !== "none") return ignore(state, "already-created");
  const builder = new DecisionBuilder(state, at);
  builder.emit({
    kind: "execution.created",
    execution,
    definition,
    workflow: state.program.definition.name,
    input,
    seed,
    correlationId,
    ...(workflows.length === 0 ? {} : { workflows }),
    ...(priority === 0 ? {} : { priority }),
    ...(key === undefined ? {} : { key }),
    ...(labels === undefined ? {} : { labels }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
  return builder.finish();
}

export function decideBegin(state: State, at: EpochMs): Decision {
  if (state.baseStatus !== "pending") return ignore(state, "not-pending");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "execution.validating" });
  return builder.finish();
}

export function decideValidation(state: State, at: EpochMs, values: StoredValues): Decision {
  const builder = new DecisionBuilder(state, at);
  const { name, input: schema } = state.program.definition;
  const maker = new ContextMaker(state, values);
  const input = schema === undefined ? null : maker.load(state.created?.input);
  if (maker.needs.size > 0) return needs(maker.needs);
  const failure =
    schema === undefined ? undefined : mismatch("INPUT_INVALID", `the input of \`${name}\``, schema, input, values);
  if (failure !== undefined) {
    builder.emit({ kind: "execution.failed", failure });
    return builder.finish();
  }
  const deadline = executionDeadline(state, builder);
  builder.emit({ kind: "execution.started", ...(deadline === undefined ? {} : { deadline }) });
  return builder.finish();
}

/** FAIL-4: the timeout of the workflow starts again with each round. */
function executionDeadline(state: State, builder: DecisionBuilder): EpochMs | undefined {
  const { timeout } = state.program.definition;
  if (timeout === undefined) return undefined;
  const dueAt = epochMs(builder.at + timeout);
  builder.emitEffect({ kind: "arm", timer: { kind: "execution-deadline" }, dueAt });
  return dueAt;
}

/**
 * CANCEL-6: a second cancellation is answered with the state, but it may turn a drain into an abort, or shorten the grace
 * period.
 */
export function decideCancel(state: State, happening: Happening & { kind: "cancel" }): Decision {
  const { mode, reason, at, compensate = false } = happening;
  if (state.baseStatus === "none") return ignore(state, "not-started");
  if (isTerminalStatus(state.baseStatus)) return ignore(state, "ended");
  const isHarder = state.cancelling?.mode === "drain" && mode === "abort";
  if (state.baseStatus === "cancelling" && !isHarder && happening.grace === 0) return cancelAgain(state, happening);
  if (state.baseStatus === "cancelling" && !isHarder) return ignore(state, "already-cancelling");
  const builder = new DecisionBuilder(state, at);
  const grace = happening.grace ?? gracePeriod(state.program.definition);
  builder.emit({
    kind: "execution.cancelling",
    mode,
    reason,
    grace,
    compensate: compensate || (state.cancelling?.compensate ?? false),
  });
  stopCancelled(state, builder, reason, grace, mode === "drain");
  if (state.hold !== undefined) armBackoffs(state, builder);
  return builder.finish();
}

/**
 * A second cancellation without a grace period kills the attempts that are cleaning up; if there are none, it kills the
 * compensation. This is the only way to stop a compensation that never ends.
 */
function cancelAgain(
  state: State,
  { at, reason, grace = gracePeriod(state.program.definition) }: Happening & { kind: "cancel" },
): Decision {
  const steps = stoppingSteps(state).filter((step) => !isScope(state, step));
  if (steps.length === 0 && !isBeingUndone(state)) return ignore(state, "already-cancelling");
  const builder = new DecisionBuilder(state, at);
  const { mode = "abort", compensate = false } = state.cancelling ?? {};
  builder.emit({ kind: "execution.cancelling", mode, reason, grace, compensate });
  for (const step of steps) force(state, step, reason, builder);
  if (steps.length === 0) stopUndoing(state, builder, reason);
  return builder.finish();
}

function isBeingUndone({ regions }: State): boolean {
  return regions.some(({ kind, unsettled }) => kind === "compensation" && unsettled > 0);
}

/** A backoff that ended while nothing could start has to be armed again. */
function armBackoffs(state: State, builder: DecisionBuilder): void {
  for (const backoff of listBackoffs(state)) builder.emitEffect({ kind: "arm", ...backoff });
}

/** The grace period is over: an attempt that has not ended is killed (CANCEL-2, CANCEL-5). */
export function decideForce(state: State, step: StepIndex, epoch: number, at: EpochMs): Decision {
  const isStopping = state.columns.phase[step] === CANCELLING && state.columns.epoch[step] === epoch;
  if (!isStopping || isScope(state, step)) return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  force(state, step, stopReason(state, step), builder);
  return builder.finish();
}

function force(state: State, step: StepIndex, reason: string, builder: DecisionBuilder): void {
  builder.emitEffect({ kind: "abort", step, epoch: state.columns.epoch[step]!, force: true, reason });
  if (state.overdue.has(step)) return endOverdue(state, step, builder);
  builder.emit({ kind: "step.cancelled", step, ended: "by-force", reason: stopReason(state, step) });
  releaseStopping(state, step, builder);
}

/** FAIL-4: the workflow timed out. */
export function decideExecutionDeadline(state: State, at: EpochMs): Decision {
  if (
    state.deadline === undefined ||
    at < state.deadline ||
    (state.baseStatus !== "running" && state.baseStatus !== "failing")
  )
    return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  const failure: Failure = {
    class: "timeout",
    code: "EXECUTION_TIMEOUT",
    message: `the execution took longer than ${state.program.definition.timeout} ms`,
  };
  if (state.baseStatus === "running") builder.emit({ kind: "execution.failing", failure });
  stopFailing(state, builder, failure.message);
  return builder.finish();
}

export function decidePause(state: State, { at, by }: Happening & { kind: "pause" }): Decision {
  if (isTerminalStatus(state.baseStatus)) return ignore(state, "ended");
  if (state.baseStatus === "cancelling") return ignore(state, "already-cancelling");
  if (state.baseStatus !== "running" && state.baseStatus !== "failing") return ignore(state, "not-started");
  if (state.hold !== undefined) return ignore(state, "already-held");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "execution.paused", ...(by === undefined ? {} : { by }) });
  builder.emitEffect({ kind: "withdraw" });
  return builder.finish();
}

export function decidePark(state: State, { at, cause, reason, step }: Happening & { kind: "park" }): Decision {
  if (state.baseStatus !== "running" && state.baseStatus !== "failing" && state.baseStatus !== "cancelling")
    return ignore(state, isTerminalStatus(state.baseStatus) ? "ended" : "not-started");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "execution.parked", cause, reason, ...(step === undefined ? {} : { step }) });
  builder.emitEffect({ kind: "withdraw" });
  return builder.finish();
}

export function decideResume(state: State, { at, by }: Happening & { kind: "resume" }): Decision {
  if (isTerminalStatus(state.baseStatus)) return ignore(state, "ended");
  if (state.hold === undefined) return ignore(state, "not-held");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "execution.resumed", ...(by === undefined ? {} : { by }) });
  armBackoffs(state, builder);
  return builder.finish();
}

/**
 * STATE-2: only a failed execution that had started opens a new round, and a completed one for the failures that it tolerated;
 * a cancelled one never does.
 */
export function decideRetry(state: State, happening: Happening & { kind: "retry" }): Decision {
  const { at, by, undo = false, tolerated = false } = happening;
  if (undo) return decideUndo(state, at, by);
  const refusal = tolerated ? toleratedRefusal(state) : retryRefusal(state);
  if (refusal !== undefined) return ignore(state, refusal);
  const builder = new DecisionBuilder(state, at);
  const deadline = executionDeadline(state, builder);
  builder.emit({
    kind: "execution.reopened",
    round: state.round + 1,
    ...(deadline === undefined ? {} : { deadline }),
    ...(by === undefined ? {} : { by }),
    ...(tolerated ? { only: "tolerated" } : {}),
  });
  return builder.finish();
}

function retryRefusal({ baseStatus, startedAt }: State): IgnoreReason | undefined {
  if (baseStatus !== "failed") return isTerminalStatus(baseStatus) ? "ended" : "not-failed";
  return startedAt === undefined ? "not-started" : undefined;
}

function toleratedRefusal(state: State): IgnoreReason | undefined {
  if (state.baseStatus !== "completed") return "not-completed";
  return toleratedFailureCount(state) === 0 ? "nothing-tolerated" : undefined;
}

/** FAIL-8: only the steps that could not be undone are tried again. The execution then ends as it had ended. */
function decideUndo(state: State, at: EpochMs, by: string | undefined): Decision {
  if (!isTerminalStatus(state.baseStatus)) return ignore(state, "not-ended");
  const steps = notUndone(state);
  if (steps.length === 0) return ignore(state, "nothing-to-undo");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "execution.compensating", steps, ...(by === undefined ? {} : { by }) });
  return builder.finish();
}

/** STATE-12: no step can move, though not all have ended. */
export function decideDeadlock(state: State, at: EpochMs): Decision {
  const builder = new DecisionBuilder(state, at);
  const waiting: string[] = [];
  for (let step = 0; step < stepCount(state) && waiting.length < 20; step++)
    if (state.columns.phase[step] === WAITING) waiting.push(stepName(state, step));
  const message = `no step can proceed; still waiting: ${waiting.join(", ")}`;
  const failure: Failure = { class: "permanent", code: "DEADLOCK", message };
  builder.emit({ kind: "execution.failed", failure });
  return builder.finish(ACCEPTED);
}

export function isDeadlocked(state: State): boolean {
  const { baseStatus } = state;
  if ((baseStatus !== "running" && baseStatus !== "failing" && baseStatus !== "cancelling") || state.hold !== undefined)
    return false;
  if (state.queuedCount > 0) return false;
  const { counts } = state;
  const active = counts[RUNNING]! + counts[RETRYING]! + counts[SUSPENDED]! + counts[OPEN]! + counts[CANCELLING]!;
  return active === 0;
}
