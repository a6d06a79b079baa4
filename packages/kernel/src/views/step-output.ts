// The output of a step as later steps read it: its own output, the output of its fallback, or the outputs of a scope's
// children.

import type { Json } from "../model/json.ts";
import type { ContentHash } from "../model/units.ts";
import { ContextMaker } from "../rules/context.ts";
import { stepNamed } from "../state/names.ts";
import { FAILED, SUCCEEDED } from "../state/phase.ts";
import { findRegion } from "../state/step-position.ts";
import { localStep, siblingIndex } from "../state/region.ts";
import type { State } from "../state/state.ts";
import type { StoredValues } from "../rules/stored-values.ts";

/** The output, and the values that must be loaded before it is complete. */
export interface StepOutput {
  readonly output: Json;
  readonly needs: readonly ContentHash[];
}

/** The step with this name. For an item of several steps, such as `deploy/3`, the step whose output is the item's output. */
export function outputStepIndex(state: State, name: string): number | undefined {
  return stepNamed(state, name) ?? itemStepIndex(state, name);
}

function itemStepIndex(state: State, name: string): number | undefined {
  const slash = name.lastIndexOf("/");
  const instance = name.slice(slash + 1);
  const parent =
    slash < 0 || !/^(?:0|[1-9]\d{0,8})$/u.test(instance) ? undefined : stepNamed(state, name.slice(0, slash));
  const last = state.regions.findLast((each) => each.parent === parent);
  if (parent === undefined) return undefined;
  if (last?.kind === "iteration") return iterationStepIndex(state, parent, Number(instance));
  const region = last;
  if (region?.kind !== "items") return undefined;
  const offset = Number(instance) * region.stride + region.result;
  return offset < region.size ? region.base + offset : undefined;
}

function iterationStepIndex(state: State, parent: number, iteration: number): number | undefined {
  const region = state.regions.findLast((each) => each.parent === parent && each.iteration === iteration);
  return region === undefined ? undefined : region.base + region.result;
}

/** Undefined if the step has no output: it has not ended, or it did not succeed. */
export function stepOutput(state: State, step: number, value: StoredValues["value"]): StepOutput | undefined {
  if (outputSource(state, step) === undefined) return undefined;
  const maker = new ContextMaker(state, { value, checkSchema: () => [] });
  const output = maker.stepOutput(step);
  return { output, needs: [...maker.needs] };
}

/** The step that made the output of a step: the step itself, or its fallback (STATE-8); undefined if it has no output. */
export function outputSource(state: State, step: number): number | undefined {
  const phase = state.columns.phase[step];
  if (phase !== FAILED) return phase === SUCCEEDED ? step : undefined;
  const region = findRegion(state, step);
  const { fallback } = region.program.steps[localStep(region, step)]!;
  return fallback < 0 ? undefined : outputSource(state, siblingIndex(region, step, fallback));
}
