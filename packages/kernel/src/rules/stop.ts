// Stops many steps at once: because the execution or a scope fails, or because of a cancellation.
//
//   P1. Steps that have not started never start: one event for all of them (CANCEL-4).
//   P2. Running steps are told to stop and have their grace period (CANCEL-2).
//   P3. A failure does not stop clean-up: a step with a settled edge still runs (STATE-6). Only a second cancellation without a
//       grace period stops a compensation.

import type { SkipReason } from "../journal/event.ts";
import { gracePeriod } from "../model/policy.ts";
import { durationMs, epochMs, type DurationMs, type StepIndex } from "../model/units.ts";
import { DecisionBuilder, toRanges } from "./decision-builder.ts";
import { isUndoing } from "../state/permission.ts";
import { CANCELLING, OPEN, RETRYING, RUNNING, SUSPENDED, WAITING } from "../state/phase.ts";
import { localStep, type Region } from "../state/region.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import { nextForceAt } from "./timers.ts";

interface StepsToStop {
  readonly unstarted: number[];
  readonly running: number[];
  /** Steps that were told to stop because they timed out, and that would be tried again. */
  readonly overdue: number[];
  readonly open: number[];
}

/** The steps outside a compensation, or the steps below one step. */
function find(state: State, within: number | undefined, spareCleanUp: boolean): StepsToStop {
  const found: StepsToStop = { unstarted: [], running: [], overdue: [], open: [] };
  for (const region of state.regions) {
    if (within === undefined ? isUndoing(state, region) : !isBelow(state, region, within)) continue;
    if (spareCleanUp && isInCleanUp(state, region, within)) continue;
    if (region.unsettled > 0) findIn(state, region, spareCleanUp, found);
  }
  return found;
}

/** Whether a region is inside a clean-up step: its children are part of the clean-up. */
function isInCleanUp(state: State, region: Region, within: number | undefined): boolean {
  for (let each = region; each.parent >= 0 && each.parent !== within; each = findRegion(state, each.parent))
    if (compiledStep(state, each.parent).isCleanUp) return true;
  return false;
}

function findIn(state: State, region: Region, spareCleanUp: boolean, found: StepsToStop): void {
  for (let step = region.base; step < region.base + region.size; step++) {
    const list = listFor(state, step, found);
    if (list === undefined) continue;
    if (spareCleanUp && region.program.steps[localStep(region, step)]!.isCleanUp) continue;
    list.push(step);
  }
}

function listFor(state: State, step: number, found: StepsToStop): number[] | undefined {
  switch (state.columns.phase[step]) {
    case WAITING:
    case RETRYING:
    case SUSPENDED:
      return found.unstarted;
    case RUNNING:
      return found.running;
    case OPEN:
      return found.open;
    case CANCELLING:
      return state.last[step]?.kind === "step.overdue" ? found.overdue : undefined;
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
export function stopFailing(state: State, builder: DecisionBuilder, message: string, within?: number): void {
  const found = find(state, within, true);
  const reason: SkipReason = { kind: "failing", message };
  if (found.unstarted.length > 0) builder.emit({ kind: "steps.skipped", steps: toRanges(found.unstarted), reason });
  halt(state, builder, found, message, gracePeriod(state.program.definition));
}

/** CANCEL-2, CANCEL-3: an abort stops running steps, a drain lets them end. */
export function stopCancelled(
  state: State,
  builder: DecisionBuilder,
  reason: string,
  grace: DurationMs,
  isDrain: boolean,
): void {
  const found = find(state, undefined, false);
  if (found.unstarted.length > 0) builder.emit({ kind: "steps.cancelled", steps: toRanges(found.unstarted), reason });
  if (isDrain) withdraw(state, builder, found);
  else halt(state, builder, found, reason, grace);
}

/** FAIL-8: steps that are not undone by now stay as they are. */
export function stopUndoing(state: State, builder: DecisionBuilder, reason: string): void {
  const found: StepsToStop = { unstarted: [], running: [], overdue: [], open: [] };
  for (const region of state.regions)
    if (region.unsettled > 0 && isUndoing(state, region)) findIn(state, region, false, found);
  if (found.unstarted.length > 0) builder.emit({ kind: "steps.cancelled", steps: toRanges(found.unstarted), reason });
  halt(state, builder, found, reason, durationMs(0));
}

function halt(state: State, builder: DecisionBuilder, found: StepsToStop, reason: string, grace: DurationMs): void {
  const { running, overdue, open } = found;
  withdraw(state, builder, found);
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
  // There is one such timer; steps that were stopped earlier keep their own time.
  const earlier = nextForceAt(state) ?? forceAt;
  const dueAt = earlier < forceAt ? earlier : forceAt;
  if (running.length + overdue.length > 0) builder.emitEffect({ kind: "arm", timer: { kind: "force" }, dueAt });
}

/** Withdraws the requests and the timers of steps that will not continue. */
function withdraw(state: State, builder: DecisionBuilder, { unstarted }: StepsToStop): void {
  for (const step of unstarted as StepIndex[]) {
    if (state.columns.queued[step] === 1) builder.emitEffect({ kind: "withdraw", step });
    const phase = state.columns.phase[step];
    if (phase === SUSPENDED) builder.emitEffect({ kind: "disarm", timer: { kind: "wait", step } });
    if (phase === RETRYING)
      builder.emitEffect({ kind: "disarm", timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! } });
  }
}
