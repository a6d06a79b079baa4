// Steps that Segno adds to a workflow. People did not write them, so no view counts them as steps.

import type { Definition, StepDefinition } from "../model/definition.ts";
import { isInternalId } from "../model/policy.ts";
import type { Program } from "../program/program.ts";
import { localStep } from "../state/region.ts";
import { findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

/** Whether Segno added the step: its id begins with `_`, or it reads the items of a map. */
export function isInternalStep(state: State, step: number): boolean {
  const region = findRegion(state, step);
  return internalSteps(region.program).includes(localStep(region, step));
}

/** Whether people count the step: not an internal one, and not inside an item of a map, a repetition or a compensation. */
export function isCountedStep(state: State, step: number): boolean {
  if (isInternalStep(state, step)) return false;
  for (let current = step; current >= 0;) {
    const { kind, parent } = findRegion(state, current);
    if (kind === "items" || kind === "iteration" || kind === "compensation") return false;
    current = parent;
  }
  return true;
}

const KNOWN = new WeakMap<Program, readonly number[]>();

/** The internal steps of a program, by their index in it. */
export function internalSteps(program: Program): readonly number[] {
  let found = KNOWN.get(program);
  if (found === undefined)
    KNOWN.set(program, (found = findInternal(program.steps.map(({ definition }) => definition))));
  return found;
}

/** The number of steps that people wrote. */
export function writtenStepCount({ steps }: Definition): number {
  return steps.length - findInternal(steps).length;
}

function findInternal(steps: readonly StepDefinition[]): readonly number[] {
  const sources = mapSources(steps);
  return steps.flatMap(({ id }, index) => (isInternalId(id) || sources.has(id) ? [index] : []));
}

/** A map over a function becomes two steps: `<id>-items` reads the items, and the map is over its output. */
function mapSources(steps: readonly StepDefinition[]): ReadonlySet<string> {
  const sources = new Set<string>();
  for (const { id, action } of steps) {
    if (action.kind !== "map") continue;
    const source = `${id}-items`;
    if (action.over === `steps.${JSON.stringify(source)}.output`) sources.add(source);
  }
  return sources;
}
