// A new round (STATE-2): steps that neither succeeded nor were skipped by their condition run again, in the same journal.
//
//   O1. A succeeded step stays succeeded, unless it was undone; so does a failed step whose fallback succeeded.
//   O2. A scope that had opened opens again with its children as they are; only children that did not succeed run again.
//   O3. Counts are computed again from the phases, so a round starts with exact counts (STATE-3).
//   O4. A fallback runs again only together with its primary: alone it would wait for ever.
//   O5. A scope that was undone, or that is a fallback, starts from the beginning; its earlier regions stay as history. So does a
//       repetition in which a step was undone, because each iteration depends on the one before.
//   O6. Any other repetition continues with its last iteration, and may have as many iterations after it as at the start.

import type { Event } from "../journal/event.ts";
import { EDGE_FALLBACK, EDGE_SETTLED } from "../graph/graph.ts";
import { undoneSteps } from "./compensation.ts";
import { latestRegion, startOver } from "./latest-region.ts";
import { beginItems, readyIf, resetWindow } from "./item-window.ts";
import { resetPlan } from "./sequential-plan.ts";
import { move, satisfies } from "./move.ts";
import { CANCELLED, FAILED, isTerminalPhase, OPEN, SKIPPED, SUCCEEDED, WAITING } from "./phase.ts";
import { localStep, siblingIndex, type Region } from "./region.ts";
import { compiledStep, findRegion } from "./step-position.ts";
import type { State } from "./state.ts";
import { resetStart } from "./step-times.ts";

/** The steps that a new round changes. */
interface CompensatedSteps {
  readonly steps: ReadonlySet<number>;
  /** Scopes that succeeded, but in which a step was undone. */
  readonly scopes: ReadonlySet<number>;
}

/** The part that every new round has in common. */
export function beginRound(state: State, event: Event & { kind: "execution.reopened" }): void {
  state.baseStatus = "running";
  state.round = event.round;
  state.beganAt = event.at;
  state.endedAt = undefined;
  state.failure = undefined;
  state.cancelling = undefined;
  state.result = undefined;
  state.deadline = event.deadline;
}

export function reopenFailed(state: State, event: Event): void {
  const undone = findCompensated(state);
  const opened = new Set<number>();
  state.heldScopes.clear();
  state.regions.forEach((region, index) => {
    if (region.kind === "compensation") return;
    if (region.parent >= 0 && (!opened.has(region.parent) || latestRegion(state, region.parent) !== region)) return;
    region.failure = undefined;
    region.failedInstances.clear();
    region.stoppingStep = -1;
    reopenRegion(state, region, event, undone, opened);
    if (region.parent >= 0 && state.windows > 0) state.heldScopes.set(region.parent, region);
    recountUnmet(state, region, index);
    region.iterationsLeft = iterationsInRound(state, region);
  });
  forgetCompensation(state, undone.steps);
  state.agenda.armScopes = opened.size > 0;
}

/** An iteration that has all its steps may be followed by `max` others; one that runs again is one of them. */
export function iterationsInRound(state: State, { kind, parent, unsettled }: Region): number {
  if (kind !== "iteration") return 0;
  const { work } = compiledStep(state, parent);
  if (work.kind !== "repeat") return 0;
  return unsettled === 0 ? work.max : work.max - 1;
}

function findCompensated(state: State): CompensatedSteps {
  const steps = new Set(undoneSteps(state));
  const scopes = new Set<number>();
  for (const step of steps) {
    let region = findRegion(state, step);
    while (region.parent >= 0) {
      if (region.kind === "iteration") steps.add(region.parent);
      else if (latestRegion(state, region.parent) !== region) break;
      else if (!steps.has(region.parent)) scopes.add(region.parent);
      region = findRegion(state, region.parent);
    }
  }
  for (const step of steps) scopes.delete(step);
  return { steps, scopes };
}

/** A step that was undone or runs again can be undone only after it has succeeded again. */
export function forgetCompensation(state: State, undone: ReadonlySet<number>): void {
  const kept = state.compensable.filter((step) => !undone.has(step) && state.columns.phase[step] === SUCCEEDED);
  // One by one: as arguments of one call, many steps would not fit on the stack.
  state.compensable.length = 0;
  for (const step of kept) state.compensable.push(step);
  state.undoes.clear();
}

function reopenRegion(state: State, region: Region, event: Event, undone: CompensatedSteps, opened: Set<number>): void {
  const again: number[] = [];
  for (let step = region.base; step < region.base + region.size; step++)
    if (isRetriable(state, region, step, undone)) again.push(step);
  for (const step of again) {
    const hasChildren = latestRegion(state, step) !== undefined;
    const isScope = hasChildren && !undone.steps.has(step) && continuesInRound(state, region, step);
    if (isScope) opened.add(step);
    move(state, step, isScope ? OPEN : WAITING, event);
    resetStart(state, step, isScope ? event.at : undefined);
    if (!isScope) {
      state.columns.attempts[step] = 0;
      startOver(state, step);
    }
    state.losses.delete(step);
    // An undone step makes its calls again (STATE-14).
    if (undone.steps.has(step)) state.recordedCalls.delete(step);
  }
}

/** A scope continues with its children. A fallback's scope does not: the primary has to fail again before it is needed. */
export function continuesInRound(state: State, region: Region, step: number): boolean {
  const phase = state.columns.phase[step];
  const { primary } = region.program.steps[localStep(region, step)]!;
  return phase === SUCCEEDED || (primary < 0 && (phase === FAILED || phase === CANCELLED));
}

export function isRetriable(state: State, region: Region, step: number, undone: CompensatedSteps): boolean {
  const phase = state.columns.phase[step];
  if (phase === FAILED) return !hasSucceededFallback(state, region, step, undone.steps);
  if (phase === CANCELLED || (phase === SKIPPED && !isSatisfied(state, step))) {
    const { primary } = region.program.steps[localStep(region, step)]!;
    return primary < 0 || isRetriable(state, region, siblingIndex(region, step, primary), undone);
  }
  return undone.steps.has(step) || undone.scopes.has(step);
}

/** Whether a fallback of the step, or a fallback of the fallback, succeeded and was not undone. */
function hasSucceededFallback(
  state: State,
  region: Region,
  step: number,
  undone: ReadonlySet<number> = NOTHING,
): boolean {
  const { fallback } = region.program.steps[localStep(region, step)]!;
  if (fallback < 0) return false;
  const sibling = siblingIndex(region, step, fallback);
  if (isSatisfied(state, sibling)) return !undone.has(sibling);
  return state.columns.phase[sibling] === FAILED && hasSucceededFallback(state, region, sibling, undone);
}

const NOTHING: ReadonlySet<number> = new Set();

/** The steps and scopes of a round that undid no step. */
export const NOTHING_UNDONE: CompensatedSteps = { steps: NOTHING, scopes: NOTHING };

function isSatisfied(state: State, step: number): boolean {
  const phase = state.columns.phase[step];
  if (phase !== SKIPPED) return phase === SUCCEEDED;
  const event = state.phaseEvents[step];
  if (event === undefined) return true;
  return (event.kind === "step.skipped" || event.kind === "steps.skipped") && satisfies(event.reason);
}

export function recountUnmet(state: State, region: Region, index: number): void {
  region.unsettled = 0;
  for (let step = region.base; step < region.base + region.size; step++) {
    if (!isTerminalPhase(state.columns.phase[step]!)) region.unsettled++;
    state.columns.unmet[step] = countUnmet(state, region, step);
  }
  continueInRound(state, region);
  if (region.unsettled === 0) state.agenda.settledRegions.add(index);
}

function continueInRound(state: State, region: Region): void {
  resetWindow(state, region);
  resetPlan(state, region);
  if (region.window !== undefined) return beginItems(state, region);
  for (let step = region.base; step < region.base + region.size; step++) readyIf(state, step);
}

function countUnmet(state: State, region: Region, step: number): number {
  const local = localStep(region, step);
  const { offsets, targets, kinds } = region.program.graph.dependencies;
  let unmet = 0;
  for (let edge = offsets[local]!; edge < offsets[local + 1]!; edge++) {
    if (!isDependencyMet(state, region, siblingIndex(region, step, targets[edge]!), kinds[edge]!)) unmet++;
  }
  return unmet;
}

/** A failed step settles when its fallback has ended; the fallback may have been undone and run again (STATE-8). */
function isSettled(state: State, region: Region, step: number): boolean {
  const phase = state.columns.phase[step]!;
  const { fallback } = region.program.steps[localStep(region, step)]!;
  if (phase !== FAILED || fallback < 0) return isTerminalPhase(phase);
  return isSettled(state, region, siblingIndex(region, step, fallback));
}

function isDependencyMet(state: State, region: Region, dependency: number, kind: number): boolean {
  const phase = state.columns.phase[dependency]!;
  if (region.program.graph.disabled[localStep(region, dependency)] === 1) return true;
  // A primary that is still failed here had a fallback that succeeded, so the fallback has ended and waits for nothing.
  if (kind === EDGE_FALLBACK) return phase === FAILED;
  if (kind === EDGE_SETTLED) return isSettled(state, region, dependency);
  return isSatisfied(state, dependency) || (phase === FAILED && hasSucceededFallback(state, region, dependency));
}
