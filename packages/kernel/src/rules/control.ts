// Control: creating, beginning, cancelling, pausing, parking, resuming and retrying an execution.

import { endOverdue } from "./attempt.ts";
import { ReleaseRecord } from "./attempt-records.ts";
import { gracePeriod } from "../model/policy.ts";
import type { Failure } from "../model/failure.ts";
import { epochMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { notUndone } from "../state/compensation.ts";
import { ContextMaker } from "./context.ts";
import { ACCEPTED, type Decision } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { CreateHappening, Happening } from "./happening.ts";
import { mismatch } from "./evaluate-step.ts";
import { stepName } from "../state/names.ts";
import { CANCELLING, isTerminalStatus, OPEN, RETRYING, RUNNING, SUSPENDED, WAITING } from "../state/phase.ts";
import { isScope } from "../state/step-position.ts";
import { stepCount, stopReason, type State } from "../state/state.ts";
import { stopCancelled, stopFailing, stopUndoing } from "./stop.ts";
import { listBackoffs, forceTime, stoppingSteps } from "./timers.ts";
import type { World } from "./world.ts";

export function decideCreate(
  state: State,
  { at, execution, definition, input, seed, correlationId, workflows = [], priority = 0, key }: CreateHappening,
): Decision {
  if (state.base !== "none") return ignore(state, "already-created");
  const draft = new DecisionBuilder(state, at);
  draft.emit({
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
  });
  return draft.finish();
}

export function decideBegin(state: State, at: EpochMs): Decision {
  if (state.base !== "pending") return ignore(state, "not-pending");
  const draft = new DecisionBuilder(state, at);
  draft.emit({ kind: "execution.validating" });
  return draft.finish();
}

export function decideValidation(state: State, at: EpochMs, world: World): Decision {
  const draft = new DecisionBuilder(state, at);
  const { name, input: schema } = state.program.definition;
  const maker = new ContextMaker(state, world);
  const input = schema === undefined ? null : maker.load(state.created?.input);
  if (maker.needs.size > 0) return needs(maker.needs);
  const failure =
    schema === undefined ? undefined : mismatch("INPUT_INVALID", `the input of \`${name}\``, schema, input, world);
  if (failure !== undefined) {
    draft.emit({ kind: "execution.failed", failure });
    return draft.finish();
  }
  const deadline = executionDeadline(state, draft);
  draft.emit({ kind: "execution.started", ...(deadline === undefined ? {} : { deadline }) });
  return draft.finish();
}

/** FAIL-4: a round has the workflow's time from its own start. */
function executionDeadline(state: State, draft: DecisionBuilder): EpochMs | undefined {
  const { timeout } = state.program.definition;
  if (timeout === undefined) return undefined;
  const dueAt = epochMs(draft.at + timeout);
  draft.emitEffect({ kind: "arm", timer: { kind: "execution-deadline" }, dueAt });
  return dueAt;
}

/** CANCEL-6: twice is answered with the state, but a drain may be turned into an abort, and a grace may be cut short. */
export function decideCancel(state: State, happening: Happening & { kind: "cancel" }): Decision {
  const { mode, reason, at, compensate = false } = happening;
  if (state.base === "none") return ignore(state, "not-started");
  if (isTerminalStatus(state.base)) return ignore(state, "ended");
  const isHarder = state.cancelling?.mode === "drain" && mode === "abort";
  if (state.base === "cancelling" && !isHarder && happening.grace === 0) return cutShort(state, happening);
  if (state.base === "cancelling" && !isHarder) return ignore(state, "already-cancelling");
  const draft = new DecisionBuilder(state, at);
  const grace = happening.grace ?? gracePeriod(state.program.definition);
  draft.emit({
    kind: "execution.cancelling",
    mode,
    reason,
    grace,
    compensate: compensate || (state.cancelling?.compensate ?? false),
  });
  stopCancelled(state, draft, reason, grace, mode === "drain");
  if (state.hold !== undefined) armBackoffs(state, draft);
  return draft.finish();
}

/**
 * Whoever cancels once more without any grace does not want to wait: what is cleaning up is ended by force, and where nothing is,
 * what undoes. That is the one way to stop an undoing that never ends.
 */
function cutShort(
  state: State,
  { at, reason, grace = gracePeriod(state.program.definition) }: Happening & { kind: "cancel" },
): Decision {
  const steps = stoppingSteps(state).filter((step) => !isScope(state, step));
  if (steps.length === 0 && !isBeingUndone(state)) return ignore(state, "already-cancelling");
  const draft = new DecisionBuilder(state, at);
  const { mode = "abort", compensate = false } = state.cancelling ?? {};
  draft.emit({ kind: "execution.cancelling", mode, reason, grace, compensate });
  for (const step of steps) force(state, step, reason, draft);
  if (steps.length === 0) stopUndoing(state, draft, reason);
  return draft.finish();
}

function isBeingUndone({ regions }: State): boolean {
  return regions.some(({ kind, unsettled }) => kind === "compensation" && unsettled > 0);
}

/** A backoff that was over while nothing could start has to come again. */
function armBackoffs(state: State, draft: DecisionBuilder): void {
  for (const backoff of listBackoffs(state)) draft.emitEffect({ kind: "arm", ...backoff });
}

/** The grace is over: what has not ended by itself is ended by force (CANCEL-2, CANCEL-5). */
export function decideForce(state: State, at: EpochMs): Decision {
  const draft = new DecisionBuilder(state, at);
  let next: EpochMs | undefined;
  for (const step of stoppingSteps(state)) {
    const forceAt = forceTime(state, step);
    if (forceAt === undefined || isScope(state, step)) continue;
    if (draft.at >= forceAt) force(state, step, stopReason(state, step), draft);
    else if (next === undefined || forceAt < next) next = forceAt;
  }
  if (next !== undefined) draft.emitEffect({ kind: "arm", timer: { kind: "force" }, dueAt: next });
  return draft.finish();
}

function force(state: State, step: StepIndex, reason: string, draft: DecisionBuilder): void {
  draft.emitEffect({ kind: "abort", step, epoch: state.columns.epoch[step]!, force: true, reason });
  if (state.overdue.has(step)) return endOverdue(state, step, draft);
  draft.emit({ kind: "step.cancelled", step, ended: "by-force", reason: stopReason(state, step) });
  draft.emitEffect(new ReleaseRecord(step));
}

/** FAIL-4: the workflow's own time is over. */
export function decideExecutionDeadline(state: State, at: EpochMs): Decision {
  if (state.deadline === undefined || at < state.deadline || (state.base !== "running" && state.base !== "failing"))
    return ignore(state, "stale");
  const draft = new DecisionBuilder(state, at);
  const failure: Failure = {
    class: "timeout",
    code: "EXECUTION_TIMEOUT",
    message: `the execution took longer than ${state.program.definition.timeout} ms`,
  };
  if (state.base === "running") draft.emit({ kind: "execution.failing", failure });
  stopFailing(state, draft, failure.message);
  return draft.finish();
}

export function decidePause(state: State, { at, by }: Happening & { kind: "pause" }): Decision {
  if (isTerminalStatus(state.base)) return ignore(state, "ended");
  if (state.base === "cancelling") return ignore(state, "already-cancelling");
  if (state.base !== "running" && state.base !== "failing") return ignore(state, "not-started");
  if (state.hold !== undefined) return ignore(state, "already-held");
  const draft = new DecisionBuilder(state, at);
  draft.emit({ kind: "execution.paused", ...(by === undefined ? {} : { by }) });
  draft.emitEffect({ kind: "withdraw" });
  return draft.finish();
}

export function decidePark(state: State, { at, cause, reason, step }: Happening & { kind: "park" }): Decision {
  if (state.base !== "running" && state.base !== "failing" && state.base !== "cancelling")
    return ignore(state, isTerminalStatus(state.base) ? "ended" : "not-started");
  const draft = new DecisionBuilder(state, at);
  draft.emit({ kind: "execution.parked", cause, reason, ...(step === undefined ? {} : { step }) });
  draft.emitEffect({ kind: "withdraw" });
  return draft.finish();
}

export function decideResume(state: State, { at, by }: Happening & { kind: "resume" }): Decision {
  if (isTerminalStatus(state.base)) return ignore(state, "ended");
  if (state.hold === undefined) return ignore(state, "not-held");
  const draft = new DecisionBuilder(state, at);
  draft.emit({ kind: "execution.resumed", ...(by === undefined ? {} : { by }) });
  armBackoffs(state, draft);
  return draft.finish();
}

/** STATE-2: only a failed execution that had started opens a new round; a cancelled one never does. */
export function decideRetry(state: State, { at, by, undo = false }: Happening & { kind: "retry" }): Decision {
  if (undo) return decideUndo(state, at, by);
  if (state.base !== "failed") return ignore(state, isTerminalStatus(state.base) ? "ended" : "not-failed");
  if (state.startedAt === undefined) return ignore(state, "not-started");
  const draft = new DecisionBuilder(state, at);
  const deadline = executionDeadline(state, draft);
  draft.emit({
    kind: "execution.reopened",
    round: state.round + 1,
    ...(deadline === undefined ? {} : { deadline }),
    ...(by === undefined ? {} : { by }),
  });
  return draft.finish();
}

/** FAIL-8: what could not be undone is tried again, and nothing else. The execution then ends as it had ended. */
function decideUndo(state: State, at: EpochMs, by: string | undefined): Decision {
  if (!isTerminalStatus(state.base)) return ignore(state, "not-ended");
  const steps = notUndone(state);
  if (steps.length === 0) return ignore(state, "nothing-to-undo");
  const draft = new DecisionBuilder(state, at);
  draft.emit({ kind: "execution.compensating", steps, ...(by === undefined ? {} : { by }) });
  return draft.finish();
}

/** STATE-12: nothing can move any more, though not everything has ended. */
export function decideDeadlock(state: State, at: EpochMs): Decision {
  const draft = new DecisionBuilder(state, at);
  const stuck: string[] = [];
  for (let step = 0; step < stepCount(state) && stuck.length < 20; step++)
    if (state.columns.phase[step] === WAITING) stuck.push(stepName(state, step));
  const message = `nothing can move any more; still waiting: ${stuck.join(", ")}`;
  const failure: Failure = { class: "permanent", code: "DEADLOCK", message };
  draft.emit({ kind: "execution.failed", failure });
  return draft.finish(ACCEPTED);
}

export function isDeadlocked(state: State): boolean {
  const { base } = state;
  if ((base !== "running" && base !== "failing" && base !== "cancelling") || state.hold !== undefined) return false;
  if (state.queuedCount > 0) return false;
  const { counts } = state;
  const active = counts[RUNNING]! + counts[RETRYING]! + counts[SUSPENDED]! + counts[OPEN]! + counts[CANCELLING]!;
  return active === 0;
}
