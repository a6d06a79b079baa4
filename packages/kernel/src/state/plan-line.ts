// The line of a sequential workflow: its steps take their turns strictly in the order of the plan, one after the other (ruling 52).
//
//   L1. A step's turn comes when every step before it in the plan has ended, whatever it ended as. A step that runs, waits for its
//       next attempt, for a signal or for its children holds the line.
//   L2. The line adds no edges: nobody sees more data, and nobody is skipped on account of it.
//   L3. Dependencies come earlier in the plan, and a fallback has its turn directly after its primary: whoever is next never waits
//       for somebody behind it.
//   L4. It follows from the events, like all of the state: the journal does not know it.

import type { StepIndex } from "../model/units.ts";
import { readyWithin } from "./item-window.ts";
import { isTerminalPhase } from "./phase.ts";
import { findRegion } from "./step-position.ts";
import { localStep, type Region } from "./region.ts";
import type { State } from "./state.ts";

/** A step of the region has ended: whoever is next begins. */
export function moveLine(state: State, region: Region): void {
  const { line } = region;
  if (line === undefined) return;
  const before = line.next;
  skipEnded(state, region);
  const next = line.steps[line.next];
  if (line.next > before && next !== undefined) readyWithin(state, region.base + next, region.base + next + 1);
}

/** For another round: the line begins at the first step that has not ended. */
export function resetLine(state: State, region: Region): void {
  if (region.line === undefined) return;
  region.line.next = 0;
  skipEnded(state, region);
}

function skipEnded(state: State, { base, line }: Region): void {
  const { steps } = line!;
  while (line!.next < steps.length && isTerminalPhase(state.columns.phase[base + steps[line!.next]!]!)) line!.next++;
}

/** The step that holds the line in which a step waits for its turn. */
export function holderOfLine(state: State, step: number): StepIndex | undefined {
  const region = findRegion(state, step);
  const { line, base } = region;
  if (line === undefined || line.sequence[localStep(region, step)]! <= line.next) return undefined;
  return (base + line.steps[line.next]!) as StepIndex;
}
