// Names of steps as people see them: `build`, `deploy/3/upload`, `publish/compensate`.

import type { StepIndex } from "../model/units.ts";
import { instanceOf, localOf } from "./region.ts";
import { regionOf, type State } from "./state.ts";

export function stepName(state: State, step: number): string {
  const region = regionOf(state, step);
  const own = region.program.steps[localOf(region, step)]!.definition.id;
  switch (region.kind) {
    case "root":
      return own;
    case "compensation":
      return `${stepName(state, region.undoes[localOf(region, step)]!)}/compensate`;
    case "items": {
      const item = `${stepName(state, region.parent)}/${instanceOf(region, step)}`;
      return region.stride === 1 ? item : `${item}/${own}`;
    }
    case "workflow":
    case "steps":
      return `${stepName(state, region.parent)}/${own}`;
  }
}

/** The place of a step of the workflow itself. */
export function stepNamed(state: State, id: string): StepIndex | undefined {
  return state.program.graph.indexById.get(id) as StepIndex | undefined;
}
