// Compensation: undoes succeeded steps, newest first, as a chain of ordinary steps (FAIL-8).
//
// Each link waits for the link before it to end in any way, so a step that cannot be undone does not keep the others from being
// undone.
//
//   C1. A chain is built once a round, of all succeeded steps that can be undone. A later request gets a chain of the steps that
//       are still not undone.
//   C2. A step is undone when one of its compensations succeeded, or reported that there is nothing to do. A step is undone at most
//       once a round.

import type { Failure } from "../model/failure.ts";
import type { StepIndex } from "../model/units.ts";
import { GraphBuilder } from "../graph/graph-builder.ts";
import { enabledDependencyCounts, computeOrder } from "../graph/order.ts";
import type { CompiledStep, Program } from "../program/program.ts";
import { toStepColumns } from "../program/step-columns.ts";
import { PHASES, SKIPPED, SUCCEEDED } from "./phase.ts";
import { compiledStep } from "./step-position.ts";
import type { State } from "./state.ts";

/** The steps that a compensation would undo now. */
export function compensationOrder(state: State): readonly StepIndex[] {
  const succeeded = state.compensable.filter((step) => state.columns.phase[step] === SUCCEEDED);
  return succeeded.toReversed() as StepIndex[];
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
    order: computeOrder(graph),
    unmet: enabledDependencyCounts(graph),
    steps: compiled,
    columns: toStepColumns(compiled),
    output: undefined,
    writers: [],
    readOnly: [],
    strict: state.program.strict,
  };
}

/** A step that was to be undone and is not, with the reason why its last compensation did not succeed. */
export interface NotUndone {
  readonly step: StepIndex;
  readonly failure: Failure;
}

/** The steps that could not be undone, in the order in which the compensation tried them. */
export function notUndone(state: State): readonly StepIndex[] {
  return failedUndos(state).map(([step]) => step);
}

export function notUndoneReport(state: State): readonly NotUndone[] {
  return failedUndos(state).map(([step, undoing]) => ({ step, failure: compensationFailure(state, undoing) }));
}

/** Each step that is not undone, with its last compensation. */
function failedUndos(state: State): readonly (readonly [step: StepIndex, undoing: StepIndex])[] {
  const undone = undoneSteps(state);
  const last = new Map<StepIndex, StepIndex>();
  for (const [undoing, step] of state.undoes) if (!undone.has(step)) last.set(step as StepIndex, undoing as StepIndex);
  return [...last];
}

/** How many steps were to be undone in this round. */
export function undoCount(state: State): number {
  return new Set(state.undoes.values()).size;
}

/** The steps that were undone in this round. */
export function undoneSteps(state: State): ReadonlySet<number> {
  const steps = new Set<number>();
  for (const [undoing, step] of state.undoes) if (isUndonePhase(state.columns.phase[undoing]!)) steps.add(step);
  return steps;
}

/** Only the attempt of a compensation itself can skip it, when the attempt finds nothing to undo. */
function isUndonePhase(phase: number): boolean {
  return phase === SUCCEEDED || phase === SKIPPED;
}

/** A compensation that did not end has no failure of its own. */
function compensationFailure(state: State, undoing: StepIndex): Failure {
  const event = state.phaseEvents[undoing];
  if (event?.kind === "step.failed") return event.failure;
  const message = `its compensation did not finish and is ${PHASES[state.columns.phase[undoing]!]}`;
  return { class: "permanent", code: "NOT_UNDONE", message };
}
