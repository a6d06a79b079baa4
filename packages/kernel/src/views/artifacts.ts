// The files that the steps of an execution have kept (DATA-13).

import type { Artifact } from "../model/artifact.ts";
import { neighbours } from "../graph/graph.ts";
import { stepName } from "../state/names.ts";
import { localStep, siblingIndex } from "../state/region.ts";
import { stepArtifacts } from "../state/step-artifacts.ts";
import { findRegion } from "../state/step-position.ts";
import { stepCount, type State } from "../state/state.ts";

/** A file and the step that kept it. */
export interface StepArtifact extends Artifact {
  readonly step: string;
}

/** All of them, in the order of the steps. */
export function listArtifacts(state: State): readonly StepArtifact[] {
  const found: StepArtifact[] = [];
  for (let step = 0; step < stepCount(state); step++) {
    const event = state.phaseEvents[step];
    if (event?.kind !== "step.completed" || event.artifacts === undefined) continue;
    const name = stepName(state, step);
    for (const artifact of event.artifacts) found.push({ step: name, ...artifact });
  }
  return found;
}

/** Artifacts by the id of the step that has them. */
export type ArtifactsByStep = Readonly<Record<string, readonly Artifact[]>>;

/** The files of the direct dependencies of a step; undefined if they have none. */
export function dependencyArtifacts(state: State, step: number): ArtifactsByStep | undefined {
  const region = findRegion(state, step);
  const { dependencies, ids } = region.program.graph;
  let found: Record<string, readonly Artifact[]> | undefined;
  for (const dependency of neighbours(dependencies, localStep(region, step))) {
    const artifacts = stepArtifacts(state, siblingIndex(region, step, dependency));
    if (artifacts.length > 0) (found ??= {})[ids[dependency]!] = artifacts;
  }
  return found;
}
