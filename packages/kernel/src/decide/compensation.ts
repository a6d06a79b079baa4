// Compensation: undoing what succeeded, newest first, as a chain of ordinary steps (FAIL-8).
//
// Each link waits for the end of the one before, however that ended, so one that cannot be undone does not keep the
// others from being undone.

import type { StepIndex } from "../model/units.ts";
import { GraphBuilder } from "../graph/graph-builder.ts";
import { enabledDependencyCounts, orderOf } from "../graph/order.ts";
import type { CompiledStep, Program } from "../program/program.ts";
import { SUCCEEDED } from "./phase.ts";
import { compiledStep, type State } from "./state.ts";

/** What would be undone now. */
export function compensationOrder(state: State): readonly StepIndex[] {
  const standing = state.compensable.filter((step) => state.columns.phase[step] === SUCCEEDED);
  return standing.toReversed() as StepIndex[];
}

export function compensationProgram(state: State, steps: readonly number[]): Program {
  const builder = new GraphBuilder();
  steps.forEach((_, position) => {
    builder.add(String(position));
    if (position > 0) builder.dependOn(String(position - 1), "settled");
  });
  const { graph } = builder.build();
  const compiled: CompiledStep[] = steps.map((step) => compiledStep(state, step).compensation!);
  const { name } = state.program.definition;
  return {
    definition: { name, steps: compiled.map(({ definition }) => definition) },
    graph,
    order: orderOf(graph),
    unmet: enabledDependencyCounts(graph),
    steps: compiled,
    output: undefined,
    writers: [],
    readOnly: [],
    strict: state.program.strict,
  };
}

/** What could not be undone, oldest last, as it was tried. */
export function notUndone(state: State): readonly StepIndex[] {
  return [...state.undoes]
    .filter(([undoing]) => state.columns.phase[undoing] !== SUCCEEDED)
    .map(([, undone]) => undone as StepIndex);
}
