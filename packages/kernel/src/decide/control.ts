// Control: creating, beginning, cancelling, pausing, parking, resuming and retrying an execution.

import { endOverdue } from "./attempt.ts";
import { Release } from "./attempt-records.ts";
import { graceOf } from "../model/policy.ts";
import type { Failure } from "../model/failure.ts";
import { epochMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { notUndone } from "./compensation.ts";
import { ContextMaker } from "./context.ts";
import { ACCEPTED, type Decision } from "./decision.ts";
import { Draft, ignored, needs } from "./draft.ts";
import type { CreateHappening, Happening } from "./happening.ts";
import { mismatch } from "./making.ts";
import { stepName } from "./names.ts";
import { CANCELLING, isTerminalStatus, OPEN, RETRYING, RUNNING, SUSPENDED, WAITING } from "./phase.ts";
import { isScope } from "./place.ts";
import { stepCount, stopReason, type State } from "./state.ts";
import { stopCancelled, stopFailing, stopUndoing } from "./stop.ts";
import { backoffsOf, forceAtOf, stoppingSteps } from "./timers.ts";
import type { World } from "./world.ts";

export function decideCreate(
  state: State,
  { at, execution, definition, input, seed, correlationId, workflows = [], priority = 0, key }: CreateHappening,
): Decision {
  if (state.base !== "none") return ignored(state, "already-created");
  const draft = new Draft(state, at);
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
  return draft.decided();
}

export function decideBegin(state: State, at: EpochMs): Decision {
  if (state.base !== "pending") return ignored(state, "not-pending");
  const draft = new Draft(state, at);
  draft.emit({ kind: "execution.validating" });
  return draft.decided();
}

export function decideValidation(state: State, at: EpochMs, world: World): Decision {
  const draft = new Draft(state, at);
  const { name, input: schema } = state.program.definition;
  const maker = new ContextMaker(state, world);
  const input = schema === undefined ? null : maker.load(state.created?.input);
  if (maker.needs.size > 0) return needs(maker.needs);
  const failure =
    schema === undefined ? undefined : mismatch("INPUT_INVALID", `the input of \`${name}\``, schema, input, world);
  if (failure !== undefined) {
    draft.emit({ kind: "execution.failed", failure });
    return draft.decided();
  }
  const deadline = deadlineOf(state, draft);
  draft.emit({ kind: "execution.started", ...(deadline === undefined ? {} : { deadline }) });
  return draft.decided();
}

/** FAIL-4: a round has the workflow's time from its own start. */
function deadlineOf(state: State, draft: Draft): EpochMs | undefined {
  const { timeout } = state.program.definition;
  if (timeout === undefined) return undefined;
  const dueAt = epochMs(draft.at + timeout);
  draft.ask({ kind: "arm", timer: { kind: "execution-deadline" }, dueAt });
  return dueAt;
}

/** CANCEL-6: twice is answered with the state, but a drain may be turned into an abort, and a grace may be cut short. */
export function decideCancel(state: State, happening: Happening & { kind: "cancel" }): Decision {
  const { mode, reason, at, compensate = false } = happening;
  if (state.base === "none") return ignored(state, "not-started");
  if (isTerminalStatus(state.base)) return ignored(state, "ended");
  const isHarder = state.cancelling?.mode === "drain" && mode === "abort";
  if (state.base === "cancelling" && !isHarder && happening.grace === 0) return cutShort(state, happening);
  if (state.base === "cancelling" && !isHarder) return ignored(state, "already-cancelling");
  const draft = new Draft(state, at);
  const grace = happening.grace ?? graceOf(state.program.definition);
  draft.emit({
    kind: "execution.cancelling",
    mode,
    reason,
    grace,
    compensate: compensate || (state.cancelling?.compensate ?? false),
  });
  stopCancelled(state, draft, reason, grace, mode === "drain");
  if (state.hold !== undefined) armBackoffs(state, draft);
  return draft.decided();
}

/**
 * Whoever cancels once more without any grace does not want to wait: what is cleaning up is ended by force, and where nothing is,
 * what undoes. That is the one way to stop an undoing that never ends.
 */
function cutShort(
  state: State,
  { at, reason, grace = graceOf(state.program.definition) }: Happening & { kind: "cancel" },
): Decision {
  const steps = stoppingSteps(state).filter((step) => !isScope(state, step));
  if (steps.length === 0 && !isBeingUndone(state)) return ignored(state, "already-cancelling");
  const draft = new Draft(state, at);
  const { mode = "abort", compensate = false } = state.cancelling ?? {};
  draft.emit({ kind: "execution.cancelling", mode, reason, grace, compensate });
  for (const step of steps) force(state, step, reason, draft);
  if (steps.length === 0) stopUndoing(state, draft, reason);
  return draft.decided();
}

function isBeingUndone({ regions }: State): boolean {
  return regions.some(({ kind, unsettled }) => kind === "compensation" && unsettled > 0);
}

/** A backoff that was over while nothing could start has to come again. */
function armBackoffs(state: State, draft: Draft): void {
  for (const backoff of backoffsOf(state)) draft.ask({ kind: "arm", ...backoff });
}

/** The grace is over: what has not ended by itself is ended by force (CANCEL-2, CANCEL-5). */
export function decideForce(state: State, at: EpochMs): Decision {
  const draft = new Draft(state, at);
  let next: EpochMs | undefined;
  for (const step of stoppingSteps(state)) {
    const forceAt = forceAtOf(state, step);
    if (forceAt === undefined || isScope(state, step)) continue;
    if (draft.at >= forceAt) force(state, step, stopReason(state, step), draft);
    else if (next === undefined || forceAt < next) next = forceAt;
  }
  if (next !== undefined) draft.ask({ kind: "arm", timer: { kind: "force" }, dueAt: next });
  return draft.decided();
}

function force(state: State, step: StepIndex, reason: string, draft: Draft): void {
  draft.ask({ kind: "abort", step, epoch: state.columns.epoch[step]!, force: true, reason });
  if (state.overdue.has(step)) return endOverdue(state, step, draft);
  draft.emit({ kind: "step.cancelled", step, ended: "by-force", reason: stopReason(state, step) });
  draft.ask(new Release(step));
}

/** FAIL-4: the workflow's own time is over. */
export function decideExecutionDeadline(state: State, at: EpochMs): Decision {
  if (state.deadline === undefined || at < state.deadline || (state.base !== "running" && state.base !== "failing"))
    return ignored(state, "stale");
  const draft = new Draft(state, at);
  const failure: Failure = {
    class: "timeout",
    code: "EXECUTION_TIMEOUT",
    message: `the execution took longer than ${state.program.definition.timeout} ms`,
  };
  if (state.base === "running") draft.emit({ kind: "execution.failing", failure });
  stopFailing(state, draft, failure.message);
  return draft.decided();
}

export function decidePause(state: State, { at, by }: Happening & { kind: "pause" }): Decision {
  if (isTerminalStatus(state.base)) return ignored(state, "ended");
  if (state.base === "cancelling") return ignored(state, "already-cancelling");
  if (state.base !== "running" && state.base !== "failing") return ignored(state, "not-started");
  if (state.hold !== undefined) return ignored(state, "already-held");
  const draft = new Draft(state, at);
  draft.emit({ kind: "execution.paused", ...(by === undefined ? {} : { by }) });
  draft.ask({ kind: "withdraw" });
  return draft.decided();
}

export function decidePark(state: State, { at, reason, step }: Happening & { kind: "park" }): Decision {
  if (state.base !== "running" && state.base !== "failing" && state.base !== "cancelling")
    return ignored(state, isTerminalStatus(state.base) ? "ended" : "not-started");
  const draft = new Draft(state, at);
  draft.emit({ kind: "execution.parked", reason, ...(step === undefined ? {} : { step }) });
  draft.ask({ kind: "withdraw" });
  return draft.decided();
}

export function decideResume(state: State, { at, by }: Happening & { kind: "resume" }): Decision {
  if (isTerminalStatus(state.base)) return ignored(state, "ended");
  if (state.hold === undefined) return ignored(state, "not-held");
  const draft = new Draft(state, at);
  draft.emit({ kind: "execution.resumed", ...(by === undefined ? {} : { by }) });
  armBackoffs(state, draft);
  return draft.decided();
}

/** STATE-2: only a failed execution that had started opens a new round; a cancelled one never does. */
export function decideRetry(state: State, { at, by, undo = false }: Happening & { kind: "retry" }): Decision {
  if (undo) return decideUndo(state, at, by);
  if (state.base !== "failed") return ignored(state, isTerminalStatus(state.base) ? "ended" : "not-failed");
  if (state.startedAt === undefined) return ignored(state, "not-started");
  const draft = new Draft(state, at);
  const deadline = deadlineOf(state, draft);
  draft.emit({
    kind: "execution.reopened",
    round: state.round + 1,
    ...(deadline === undefined ? {} : { deadline }),
    ...(by === undefined ? {} : { by }),
  });
  return draft.decided();
}

/** FAIL-8: what could not be undone is tried again, and nothing else. The execution then ends as it had ended. */
function decideUndo(state: State, at: EpochMs, by: string | undefined): Decision {
  if (!isTerminalStatus(state.base)) return ignored(state, "not-ended");
  const steps = notUndone(state);
  if (steps.length === 0) return ignored(state, "nothing-to-undo");
  const draft = new Draft(state, at);
  draft.emit({ kind: "execution.compensating", steps, ...(by === undefined ? {} : { by }) });
  return draft.decided();
}

/** STATE-12: nothing can move any more, though not everything has ended. */
export function decideDeadlock(state: State, at: EpochMs): Decision {
  const draft = new Draft(state, at);
  const stuck: string[] = [];
  for (let step = 0; step < stepCount(state) && stuck.length < 20; step++)
    if (state.columns.phase[step] === WAITING) stuck.push(stepName(state, step));
  const message = `nothing can move any more; still waiting: ${stuck.join(", ")}`;
  const failure: Failure = { class: "permanent", code: "DEADLOCK", message };
  draft.emit({ kind: "execution.failed", failure });
  return draft.decided(ACCEPTED);
}

export function isDeadlocked(state: State): boolean {
  const { base } = state;
  if ((base !== "running" && base !== "failing" && base !== "cancelling") || state.hold !== undefined) return false;
  if (state.askedCount > 0) return false;
  const { counts } = state;
  const active = counts[RUNNING]! + counts[RETRYING]! + counts[SUSPENDED]! + counts[OPEN]! + counts[CANCELLING]!;
  return active === 0;
}
