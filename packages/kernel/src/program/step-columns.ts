// What is asked of every step in every turn, in columns by its index.
//
// Compiled steps are objects, and at 10,000 of them they lie further apart than a cache is wide: looking at one costs as much
// as deciding on it. So what most steps need is here, and the step itself is looked at where it has something to say.

import type { CompiledStep, StepColumns } from "./program.ts";

export function toStepColumns(steps: readonly CompiledStep[]): StepColumns {
  return {
    ordinary: Uint8Array.from(steps, (step) => (isOrdinary(step) ? 1 : 0)),
    timeouts: steps.map(({ definition }) => definition.timeout),
    agents: steps.map(({ definition: { action } }) => (action.kind === "agent" ? action.agent : undefined)),
  };
}

/** It begins whatever the others gave, is given nothing of its own, keeps what comes out as it is, and stands for itself. */
function isOrdinary({ definition, work, when, call, capture, fallback, primary, compensation }: CompiledStep): boolean {
  const isPlainCall = work.kind === "call" && call === undefined && definition.inputSchema === undefined;
  const standsAlone = fallback < 0 && primary < 0 && compensation === undefined;
  return isPlainCall && standsAlone && when === undefined && capture === undefined;
}
