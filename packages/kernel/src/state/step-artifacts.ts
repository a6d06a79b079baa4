// The files that dependants see under a step's id (DATA-13): those of the step itself, of its fallback, or of the children of a scope.

import type { Artifact } from "../model/artifact.ts";
import { FAILED } from "./phase.ts";
import { instanceIndex, localStep, siblingIndex, type Region } from "./region.ts";
import type { State } from "./state.ts";
import { findRegion } from "./step-position.ts";

export function stepArtifacts(state: State, step: number): readonly Artifact[] {
  const { columns, phaseEvents, regions } = state;
  if (columns.phase[step] === FAILED) {
    const region = findRegion(state, step);
    const { fallback } = region.program.steps[localStep(region, step)]!;
    return fallback < 0 ? [] : stepArtifacts(state, siblingIndex(region, step, fallback));
  }
  const event = phaseEvents[step];
  if (event?.kind !== "step.completed") return [];
  if (event.artifacts !== undefined || regions.length === 1) return event.artifacts ?? [];
  const children = regions.findLast(({ parent, kind }) => parent === step && kind !== "compensation");
  return children === undefined ? [] : childArtifacts(state, children);
}

/** The path of a child's file begins with the index of the item, or with the id of the child. */
function childArtifacts(state: State, region: Region): readonly Artifact[] {
  const found: Artifact[] = [];
  for (let step = region.base; step < region.base + region.size; step++) {
    const local = region.program.graph.ids[localStep(region, step)]!;
    const prefix = region.kind === "items" ? String(instanceIndex(region, step)) : local;
    for (const artifact of stepArtifacts(state, step)) found.push({ ...artifact, path: `${prefix}/${artifact.path}` });
  }
  return found;
}
