// Names of steps as people see them: `build`, `deploy/3/upload`, `publish/compensate`. Items of a map and iterations of a repetition
// have numbers.

import { COMPENSATE, isInternalId } from "../model/policy.ts";
import type { StepIndex } from "../model/units.ts";
import { instanceIndex, localStep, type Region } from "./region.ts";
import { findRegion } from "./step-position.ts";
import type { State } from "./state.ts";

/** The name of a step by its index, such as `build` or `pictures/3/fetch`. */
export function stepName(state: State, step: number): string {
  const region = findRegion(state, step);
  const own = region.program.steps[localStep(region, step)]!.definition.id;
  switch (region.kind) {
    case "root":
      return own;
    case "compensation":
      return `${stepName(state, region.undoes[localStep(region, step)]!)}/${COMPENSATE}`;
    case "items": {
      const item = `${stepName(state, region.parent)}/${instanceIndex(region, step)}`;
      return region.stride === 1 ? item : `${item}/${own}`;
    }
    case "iteration": {
      const iteration = `${stepName(state, region.parent)}/${region.iteration}`;
      return onlyStep(region) === localStep(region, step) ? iteration : `${iteration}/${own}`;
    }
    case "workflow":
    case "steps":
      return `${stepName(state, region.parent)}/${own}`;
  }
}

/** The index of the step that has this name now. If a scope opened more than once, its last region counts. */
export function stepNamed(state: State, name: string): StepIndex | undefined {
  const words = name.split("/");
  const first = state.program.graph.indexById.get(words[0]!);
  return first === undefined ? undefined : (resolveWords(state, first, words, 1) as StepIndex | undefined);
}

/** The step that the words from `next` on name, relative to `step`. */
function resolveWords(state: State, step: number, words: readonly string[], next: number): number | undefined {
  if (next === words.length) return step;
  const region = namedRegion(state, step, words[next]!);
  const child = region === undefined ? undefined : findChild(region, words, next);
  if (child !== undefined) return resolveWords(state, child.step, words, next + child.words);
  return words[next] === COMPENSATE ? followUndoing(state, step, words, next + 1) : undefined;
}

/** A step may have been compensated in several rounds, and a later round may have compensated a child of an earlier one. */
function followUndoing(state: State, step: number, words: readonly string[], next: number): number | undefined {
  for (const { base, undoes } of state.regions.toReversed()) {
    const index = undoes.indexOf(step);
    const result = index < 0 ? undefined : resolveWords(state, base + index, words, next);
    if (result !== undefined) return result;
  }
  return undefined;
}

const INSTANCE = /^(?:0|[1-9]\d{0,8})$/u;

/** The last region that a step opened; for a repetition, the last one that is the iteration with this number. */
function namedRegion(state: State, parent: number, word: string): Region | undefined {
  const last = state.regions.findLast((region) => region.parent === parent);
  if (last?.kind !== "iteration") return last;
  if (!INSTANCE.test(word) || Number(word) > last.iteration) return undefined;
  return state.regions.findLast((region) => region.parent === parent && region.iteration === Number(word));
}

/** The only step of an iteration, which is called like the iteration; -1 if there are several. Internal steps do not count. */
function onlyStep({ program: { graph } }: Region): number {
  const only = graph.ids.findIndex((id) => !isInternalId(id));
  return graph.ids.findLastIndex((id) => !isInternalId(id)) === only ? only : -1;
}

/** The child that the next words name inside a scope, and the number of words of its name. */
function findChild(
  region: Region,
  words: readonly string[],
  next: number,
): { readonly step: number; readonly words: number } | undefined {
  if (region.kind === "iteration") return findInIteration(region, words[next + 1]);
  if (region.kind !== "items") return resolveChild(region, 0, words[next], 1);
  if (!INSTANCE.test(words[next]!)) return undefined;
  const instance = Number(words[next]);
  return region.stride === 1
    ? childAt(region, instance, 1)
    : resolveChild(region, instance * region.stride, words[next + 1], 2);
}

function findInIteration(region: Region, id: string | undefined): ReturnType<typeof findChild> {
  const only = onlyStep(region);
  return resolveChild(region, 0, id, 2) ?? (only < 0 ? undefined : childAt(region, only, 1));
}

function resolveChild(
  region: Region,
  offset: number,
  id: string | undefined,
  words: number,
): ReturnType<typeof findChild> {
  const local = id === undefined ? undefined : region.program.graph.indexById.get(id);
  return local === undefined ? undefined : childAt(region, offset + local, words);
}

function childAt(region: Region, offset: number, words: number): ReturnType<typeof findChild> {
  return offset < region.size ? { step: region.base + offset, words } : undefined;
}
