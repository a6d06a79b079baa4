// The plan order of a sequential workflow: its steps run strictly one after the other, in the order of the plan (ruling 52).
//
//   L1. A step may start when every step before it in the plan has ended in any way. A step that runs, or that waits for its
//       next attempt, for a signal or for its children, holds up the steps after it.
//   L2. The plan order adds no edges: it makes no data visible and skips no step.
//   L3. Dependencies come earlier in the plan, and a fallback comes directly after its primary, so the next step never waits
//       for a later one.
//   L4. The plan order is derived from the events and is not in the journal.

import type { StepIndex } from "../model/units.ts";
import { readyWithin } from "./item-window.ts";
import { isTerminalPhase } from "./phase.ts";
import { findRegion } from "./step-position.ts";
import { localStep, type Region } from "./region.ts";
import type { State } from "./state.ts";

/** A step of the region has ended: the next step in the plan may start. */
export function advancePlan(state: State, region: Region): void {
  const { plan } = region;
  if (plan === undefined) return;
  const before = plan.next;
  skipEnded(state, region);
  const next = plan.steps[plan.next];
  if (plan.next > before && next !== undefined) readyWithin(state, region.base + next, region.base + next + 1);
}

/** For a new round: the plan starts at the first step that has not ended. */
export function resetPlan(state: State, region: Region): void {
  if (region.plan === undefined) return;
  region.plan.next = 0;
  skipEnded(state, region);
}

function skipEnded(state: State, { base, plan }: Region): void {
  const { steps } = plan!;
  while (plan!.next < steps.length && isTerminalPhase(state.columns.phase[base + steps[plan!.next]!]!)) plan!.next++;
}

/** The step that has to end before a waiting step may start, in a sequential workflow. */
export function planBlocker(state: State, step: number): StepIndex | undefined {
  const region = findRegion(state, step);
  const { plan, base } = region;
  if (plan === undefined || plan.sequence[localStep(region, step)]! <= plan.next) return undefined;
  return (base + plan.steps[plan.next]!) as StepIndex;
}
