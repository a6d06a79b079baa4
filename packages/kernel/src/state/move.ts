// Moves one step from phase to phase, and updates the steps that wait for it.
//
//   M1. A step moves only along the table (STATE-2).
//   M2. The end of a step lowers the count of each dependant once (STATE-3), in time proportional to its own edges.
//   M3. A failed step with a fallback settles for its dependants only when the fallback has ended (STATE-8).

import type { Event, SkipReason } from "../journal/event.ts";
import { EDGE_FALLBACK, EDGE_SUCCEEDED } from "../graph/graph.ts";
import { countItem, readyIf } from "./item-window.ts";
import { advancePlan } from "./sequential-plan.ts";
import { CANCELLING, FAILED, isTerminalPhase, SUSPENDED, WAITING } from "./phase.ts";
import { instanceIndex, localStep, siblingIndex, type Region } from "./region.ts";
import { isOrdinary, findRegion, stopsOthers } from "./step-position.ts";
import type { State } from "./state.ts";
import { assertStepTransition } from "./transition-index.ts";

export function move(state: State, step: number, to: number, event: Event): void {
  const { columns, counts } = state;
  const from = columns.phase[step]!;
  assertStepTransition(step, from, event.kind, to);
  if (from === SUSPENDED) stopWaiting(state, step);
  if (columns.queued[step] === 1) dequeue(state, step);
  columns.phase[step] = to;
  counts[from]!--;
  counts[to]!++;
  state.phaseEvents[step] = event;
  if (isTerminalPhase(to) && state.calls.size > 0) state.calls.delete(step);
  if (to !== CANCELLING && state.overdue.size > 0) state.overdue.delete(step);
}

function dequeue(state: State, step: number): void {
  state.columns.queued[step] = 0;
  state.queuedCount--;
  if (state.preparedCalls.size > 0) state.preparedCalls.delete(step);
}

function stopWaiting(state: State, step: number): void {
  const event = state.phaseEvents[step];
  if (event?.kind === "step.suspended" && event.wait.kind === "signal")
    state.signals.waiting.get(event.wait.signal)?.delete(step);
  state.votes.delete(step);
}

/** STATE-5: a step that its condition or its handler skipped satisfies its dependants; no other skip does. */
export function satisfies(reason: SkipReason): boolean {
  return reason.kind === "condition" || reason.kind === "skipped-by-handler" || reason.kind === "disabled";
}

/** Handles the end of a step that did not fail. */
export function settle(state: State, step: number, satisfied: boolean): void {
  const region = countDown(state, step);
  propagate(state, region, step, satisfied);
  if (isOrdinary(state, step)) return;
  const compiled = region.program.steps[localStep(region, step)]!;
  if (compiled.fallback >= 0) state.agenda.unneededFallbacks.add(siblingIndex(region, step, compiled.fallback));
  if (compiled.primary >= 0) settlePrimary(state, region, siblingIndex(region, step, compiled.primary), satisfied);
}

/** Handles a step that failed for good, unless its fallback can run. */
export function settleFailure(state: State, step: number): void {
  const region = countDown(state, step);
  const compiled = region.program.steps[localStep(region, step)]!;
  const fallback = compiled.fallback < 0 ? -1 : siblingIndex(region, step, compiled.fallback);
  if (fallback >= 0 && state.columns.phase[fallback] === WAITING) return countDownDependant(state, fallback);
  propagate(state, region, step, false);
  if (compiled.primary >= 0) settlePrimary(state, region, siblingIndex(region, step, compiled.primary), false);
  else noteFailure(state, region, step);
}

function countDown(state: State, step: number): Region {
  const region = findRegion(state, step);
  if (--region.unsettled === 0) state.agenda.settledRegions.add(state.regions.indexOf(region));
  if (region.window !== undefined) countItem(state, region, step);
  if (region.plan !== undefined) advancePlan(state, region);
  return region;
}

/** The fallback of a failed step has ended, so the failed step settles for its dependants. */
function settlePrimary(state: State, region: Region, primary: number, satisfied: boolean): void {
  if (state.columns.phase[primary] !== FAILED) return;
  propagate(state, region, primary, satisfied);
  const outer = region.program.steps[localStep(region, primary)]!.primary;
  if (outer >= 0) settlePrimary(state, region, siblingIndex(region, primary, outer), satisfied);
  else if (!satisfied) noteFailure(state, region, primary);
}

function noteFailure(state: State, region: Region, step: number): void {
  const { onError } = region.program.steps[localStep(region, step)]!.definition;
  if (region.kind === "items" && onError !== "continue") {
    region.failedInstances.add(instanceIndex(region, step));
    state.failedMaps.add(region);
    if (region.stoppingStep < 0 && stopsOthers(state, step)) region.stoppingStep = step;
  }
  if (onError === "continue") state.continuedFailures.add(step);
  state.agenda.failed.add(step);
}

function propagate(state: State, region: Region, step: number, satisfied: boolean): void {
  const local = localStep(region, step);
  const first = step - local;
  const { offsets, targets, kinds } = region.program.graph.dependants;
  const end = offsets[local + 1]!;
  for (let edge = offsets[local]!; edge < end; edge++) {
    const kind = kinds[edge]!;
    const dependant = first + targets[edge]!;
    if (kind === EDGE_FALLBACK) continue;
    if (satisfied || kind !== EDGE_SUCCEEDED) countDownDependant(state, dependant);
    else if (state.columns.phase[dependant] === WAITING) {
      state.agenda.blockedSteps.add(dependant);
      state.agenda.blockedSteps.add(step);
    }
  }
}

function countDownDependant(state: State, dependant: number): void {
  if (--state.columns.unmet[dependant]! === 0) readyIf(state, dependant);
}
