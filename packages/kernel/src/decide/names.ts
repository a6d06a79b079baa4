// Names of steps as people see them: `build`, `deploy/3/upload`, `publish/compensate`.

import type { StepIndex } from "../model/units.ts";
import { instanceOf, localOf, type Region } from "./region.ts";
import { regionOf, type State } from "./state.ts";

export function stepName(state: State, step: number): string {
  const region = regionOf(state, step);
  const own = region.program.steps[localOf(region, step)]!.definition.id;
  switch (region.kind) {
    case "root":
      return own;
    case "compensation":
      return `${stepName(state, region.undoes[localOf(region, step)]!)}/${COMPENSATE}`;
    case "items": {
      const item = `${stepName(state, region.parent)}/${instanceOf(region, step)}`;
      return region.stride === 1 ? item : `${item}/${own}`;
    }
    case "workflow":
    case "steps":
      return `${stepName(state, region.parent)}/${own}`;
  }
}

/** The place of the step that has this name now: of scopes that opened more than once, the last one counts. */
export function stepNamed(state: State, name: string): StepIndex | undefined {
  const words = name.split("/");
  let step = state.program.graph.indexById.get(words[0]!);
  for (let next = 1; next < words.length && step !== undefined;) {
    const region = lastRegion(state, step);
    const child = region === undefined ? undefined : childOf(region, words, next);
    const isUndoing = child === undefined && words[next] === COMPENSATE;
    next += child?.words ?? 1;
    step = isUndoing ? undoingOf(state, step) : child?.step;
  }
  return step as StepIndex | undefined;
}

/** What undoes a step has the step's name and this word behind it. */
const COMPENSATE = "compensate";
const INSTANCE = /^(?:0|[1-9]\d{0,8})$/u;

function lastRegion(state: State, parent: number): Region | undefined {
  return state.regions.findLast((region) => region.parent === parent);
}

/** The step that the next words name inside a scope, and how many words it takes. */
function childOf(
  region: Region,
  words: readonly string[],
  next: number,
): { readonly step: number; readonly words: number } | undefined {
  if (region.kind !== "items") return placed(region, 0, words[next], 1);
  if (!INSTANCE.test(words[next]!)) return undefined;
  const instance = Number(words[next]);
  return region.stride === 1
    ? within(region, instance, 1)
    : placed(region, instance * region.stride, words[next + 1], 2);
}

function placed(region: Region, offset: number, id: string | undefined, words: number): ReturnType<typeof childOf> {
  const local = id === undefined ? undefined : region.program.graph.indexById.get(id);
  return local === undefined ? undefined : within(region, offset + local, words);
}

function within(region: Region, offset: number, words: number): ReturnType<typeof childOf> {
  return offset < region.size ? { step: region.base + offset, words } : undefined;
}

function undoingOf(state: State, step: number): number | undefined {
  const region = state.regions.findLast(({ undoes }) => undoes.includes(step));
  return region === undefined ? undefined : region.base + region.undoes.indexOf(step);
}
