// The nesting depth of scopes: a workflow that calls, maps and expands without end is stopped before it fills the state.

import type { Failure } from "../model/failure.ts";
import { SCOPE_DEPTH_MAX } from "../model/policy.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

/** The failure of a step that would nest too deeply; undefined if the step may open. */
export function tooDeep(state: State, step: number): Failure | undefined {
  if (findRegion(state, step).depth < SCOPE_DEPTH_MAX) return undefined;
  const isCall = compiledStep(state, step).work.kind === "workflow";
  const hint = isCall ? "; for a loop, use `repeat` instead of a workflow that calls itself" : "";
  const message = `scopes nest at most ${SCOPE_DEPTH_MAX} levels deep${hint}`;
  return { class: "permanent", code: "SCOPE_TOO_DEEP", message };
}
