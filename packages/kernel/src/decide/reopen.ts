// A new round (STATE-2): what neither succeeded nor was skipped by its condition gets another chance, in the same journal.
//
//   O1. A step that succeeded stays, unless it was undone; a failed step whose fallback stood in for it stays too.
//   O2. A scope that had opened opens again with its children as they are; only those that did not succeed run again.
//   O3. Counts are made anew from the phases, so a round starts with exact ones (STATE-3).

import type { Event } from "../journal/event.ts";
import { EDGE_FALLBACK, EDGE_SETTLED } from "../graph/graph.ts";
import { move, satisfies } from "./move.ts";
import { CANCELLED, FAILED, isTerminalPhase, OPEN, SKIPPED, SUCCEEDED, WAITING } from "./phase.ts";
import { localOf, placeBeside, type Region } from "./region.ts";
import type { State } from "./state.ts";

export function reopen(state: State, event: Event & { kind: "execution.reopened" }): void {
  state.base = "running";
  state.round = event.round;
  state.failure = undefined;
  const undone = undoneSteps(state);
  const opened = new Set<number>();
  state.regions.forEach((region, index) => {
    if (region.kind === "compensation" || (region.parent >= 0 && !opened.has(region.parent))) return;
    region.failure = undefined;
    region.failedInstances.clear();
    reopenRegion(state, region, event, undone, opened);
    recount(state, region, index);
  });
  forgetCompensation(state, undone);
}

function undoneSteps(state: State): ReadonlySet<number> {
  return new Set(
    [...state.undoes].filter(([undoing]) => state.columns.phase[undoing] === SUCCEEDED).map(([, undone]) => undone),
  );
}

function forgetCompensation(state: State, undone: ReadonlySet<number>): void {
  const kept = state.compensable.filter((step) => !undone.has(step));
  state.compensable.splice(0, state.compensable.length, ...kept);
  state.undoes.clear();
}

function reopenRegion(
  state: State,
  region: Region,
  event: Event,
  undone: ReadonlySet<number>,
  opened: Set<number>,
): void {
  const parents = new Set(state.regions.map(({ parent }) => parent));
  for (let step = region.base; step < region.base + region.size; step++) {
    if (!getsAnotherChance(state, region, step, undone)) continue;
    const phase = state.columns.phase[step]!;
    const isScope = parents.has(step) && (phase === FAILED || phase === CANCELLED);
    if (isScope) opened.add(step);
    move(state, step, isScope ? OPEN : WAITING, event);
    if (!isScope) state.columns.attempts[step] = 0;
    state.losses.delete(step);
  }
}

function getsAnotherChance(state: State, region: Region, step: number, undone: ReadonlySet<number>): boolean {
  switch (state.columns.phase[step]) {
    case FAILED:
      return !isRescued(state, region, step);
    case CANCELLED:
      return true;
    case SKIPPED:
      return !isSatisfied(state, step);
    default:
      return undone.has(step);
  }
}

/** Its fallback stood in, or its fallback's did. */
function isRescued(state: State, region: Region, step: number): boolean {
  const { fallback } = region.program.steps[localOf(region, step)]!;
  if (fallback < 0) return false;
  const place = placeBeside(region, step, fallback);
  return isSatisfied(state, place) || (state.columns.phase[place] === FAILED && isRescued(state, region, place));
}

function isSatisfied(state: State, step: number): boolean {
  const phase = state.columns.phase[step];
  if (phase !== SKIPPED) return phase === SUCCEEDED;
  const event = state.last[step];
  if (event === undefined) return true;
  return (event.kind === "step.skipped" || event.kind === "steps.skipped") && satisfies(event.reason);
}

function recount(state: State, region: Region, index: number): void {
  region.unsettled = 0;
  for (let step = region.base; step < region.base + region.size; step++) {
    if (!isTerminalPhase(state.columns.phase[step]!)) region.unsettled++;
    if (state.columns.phase[step] !== WAITING) continue;
    const unmet = countUnmet(state, region, step);
    state.columns.unmet[step] = unmet;
    if (unmet === 0) state.agenda.ready.push(step);
  }
  if (region.unsettled === 0) state.agenda.settled.push(index);
}

function countUnmet(state: State, region: Region, step: number): number {
  const local = localOf(region, step);
  const { offsets, targets, kinds } = region.program.graph.dependencies;
  let unmet = 0;
  for (let edge = offsets[local]!; edge < offsets[local + 1]!; edge++) {
    if (!isMet(state, region, placeBeside(region, step, targets[edge]!), kinds[edge]!)) unmet++;
  }
  return unmet;
}

function isMet(state: State, region: Region, dependency: number, kind: number): boolean {
  const phase = state.columns.phase[dependency]!;
  if (region.program.graph.disabled[localOf(region, dependency)] === 1) return true;
  // A primary that is still failed here was rescued, so its fallback has ended and waits for nothing.
  if (kind === EDGE_FALLBACK) return phase === FAILED;
  if (kind === EDGE_SETTLED) return isTerminalPhase(phase);
  return isSatisfied(state, dependency) || (phase === FAILED && isRescued(state, region, dependency));
}
