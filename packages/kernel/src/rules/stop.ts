// Stops many steps at once: because the execution or a scope fails, or because of a cancellation.
//
//   P1. Steps that have not started never start: one event for all of them (CANCEL-4).
//   P2. Running steps are told to stop and have their grace period (CANCEL-2).
//   P3. A failure does not stop clean-up: a step with a settled edge still runs (STATE-6). Only a second cancellation without a
//       grace period stops a compensation.

import type { SkipReason } from "../journal/event.ts";
import { gracePeriod } from "../model/policy.ts";
import { durationMs, epochMs, type DurationMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { DecisionBuilder, toRanges } from "./decision-builder.ts";
import { isUndoing } from "../state/permission.ts";
import { CANCELLING, OPEN, RETRYING, RUNNING, SUSPENDED, WAITING } from "../state/phase.ts";
import { localStep, type Region } from "../state/region.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import { forceTime } from "./timers.ts";

interface StepsToStop {
  readonly unstarted: number[];
  readonly running: number[];
  /** Steps that were told to stop because they timed out, and that would be tried again. */
  readonly overdue: number[];
  readonly open: number[];
}

/** The steps outside a compensation, or the steps below one step. */
function findStepsToStop(state: State, ancestor: number | undefined, skipsCleanUp: boolean): StepsToStop {
  const stopping: StepsToStop = { unstarted: [], running: [], overdue: [], open: [] };
  for (const region of state.regions) {
    if (ancestor === undefined ? isUndoing(state, region) : !isBelow(state, region, ancestor)) continue;
    if (skipsCleanUp && isInCleanUp(state, region, ancestor)) continue;
    if (region.unsettled > 0) addStepsOfRegion(state, region, skipsCleanUp, stopping);
  }
  return stopping;
}

/** Whether a region is inside a clean-up step: its children are part of the clean-up. */
function isInCleanUp(state: State, region: Region, ancestor: number | undefined): boolean {
  for (let each = region; each.parent >= 0 && each.parent !== ancestor; each = findRegion(state, each.parent))
    if (compiledStep(state, each.parent).isCleanUp) return true;
  return false;
}

function addStepsOfRegion(state: State, region: Region, skipsCleanUp: boolean, stopping: StepsToStop): void {
  for (let step = region.base; step < region.base + region.size; step++) {
    const list = listFor(state, step, stopping);
    if (list === undefined) continue;
    if (skipsCleanUp && region.program.steps[localStep(region, step)]!.isCleanUp) continue;
    list.push(step);
  }
}

function listFor(state: State, step: number, stopping: StepsToStop): number[] | undefined {
  switch (state.columns.phase[step]) {
    case WAITING:
    case RETRYING:
    case SUSPENDED:
      return stopping.unstarted;
    case RUNNING:
      return stopping.running;
    case OPEN:
      return stopping.open;
    case CANCELLING:
      return state.phaseEvents[step]?.kind === "step.overdue" ? stopping.overdue : undefined;
    default:
      return undefined;
  }
}

function isBelow(state: State, region: Region, ancestor: number): boolean {
  for (let each = region; each.parent >= 0; each = findRegion(state, each.parent))
    if (each.parent === ancestor) return true;
  return false;
}

/** STATE-7: waiting steps are skipped, running steps are stopped, and clean-up runs on. */
export function stopFailing(state: State, builder: DecisionBuilder, message: string, ancestor?: number): void {
  const stopping = findStepsToStop(state, ancestor, true);
  const reason: SkipReason = { kind: "failing", message };
  if (stopping.unstarted.length > 0)
    builder.emit({ kind: "steps.skipped", steps: toRanges(stopping.unstarted), reason });
  stopAll(state, builder, stopping, message, gracePeriod(state.program.definition));
}

/** CANCEL-2, CANCEL-3: an abort stops running steps, a drain lets them end. */
export function stopCancelled(
  state: State,
  builder: DecisionBuilder,
  reason: string,
  grace: DurationMs,
  isDrain: boolean,
): void {
  const stopping = findStepsToStop(state, undefined, false);
  if (stopping.unstarted.length > 0)
    builder.emit({ kind: "steps.cancelled", steps: toRanges(stopping.unstarted), reason });
  if (isDrain) withdrawRequests(state, builder, stopping);
  else stopAll(state, builder, stopping, reason, grace);
}

/** FAIL-8: steps that are not undone by now stay as they are. */
export function stopUndoing(state: State, builder: DecisionBuilder, reason: string): void {
  const stopping: StepsToStop = { unstarted: [], running: [], overdue: [], open: [] };
  for (const region of state.regions)
    if (region.unsettled > 0 && isUndoing(state, region)) addStepsOfRegion(state, region, false, stopping);
  if (stopping.unstarted.length > 0)
    builder.emit({ kind: "steps.cancelled", steps: toRanges(stopping.unstarted), reason });
  stopAll(state, builder, stopping, reason, durationMs(0));
}

function stopAll(
  state: State,
  builder: DecisionBuilder,
  stopping: StepsToStop,
  reason: string,
  grace: DurationMs,
): void {
  const { running, overdue, open } = stopping;
  withdrawRequests(state, builder, stopping);
  if (running.length + overdue.length + open.length === 0) return;
  const forceAt = epochMs(builder.at + grace);
  builder.emit({
    kind: "steps.cancelling",
    steps: toRanges([...running, ...overdue, ...open].toSorted((a, b) => a - b)),
    reason,
    forceAt,
  });
  for (const step of running as StepIndex[])
    builder.emitEffect({ kind: "abort", step, epoch: state.columns.epoch[step]!, force: false, reason });
  for (const step of running as StepIndex[]) armForce(state, step, forceAt, builder);
  for (const step of overdue as StepIndex[]) armForce(state, step, forceAt, builder);
}

/** An attempt that was told to stop earlier keeps the earlier time. */
function armForce(state: State, step: StepIndex, forceAt: EpochMs, builder: DecisionBuilder): void {
  const earlier = forceTime(state, step) ?? forceAt;
  const timer = { kind: "grace-end", step, epoch: state.columns.epoch[step]! } as const;
  builder.emitEffect({ kind: "arm", timer, dueAt: earlier < forceAt ? earlier : forceAt });
}

/** Withdraws the requests and the timers of steps that will not continue. */
function withdrawRequests(state: State, builder: DecisionBuilder, { unstarted }: StepsToStop): void {
  for (const step of unstarted as StepIndex[]) {
    if (state.columns.queued[step] === 1) builder.emitEffect({ kind: "withdraw", step });
    const phase = state.columns.phase[step];
    if (phase === SUSPENDED) builder.emitEffect({ kind: "disarm", timer: { kind: "wait", step } });
    if (phase === RETRYING)
      builder.emitEffect({ kind: "disarm", timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! } });
  }
}
