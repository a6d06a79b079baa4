// The fields that every turn reads of every step, in columns by step index.
//
// Compiled steps are objects, and 10,000 of them do not fit in a CPU cache: reading one costs as much as deciding on it. So the
// fields that most steps need are here, and the compiled step is read only if it has more.

import type { CompiledStep, StepColumns } from "./program.ts";

export function toStepColumns(steps: readonly CompiledStep[]): StepColumns {
  return {
    ordinary: Uint8Array.from(steps, (step) => (isOrdinary(step) ? 1 : 0)),
    timeouts: steps.map(({ definition }) => definition.timeout),
    agents: steps.map(({ definition: { action } }) => (action.kind === "agent" ? action.agent : undefined)),
  };
}

/** A plain call: no condition, no input of its own, no capture, no fallback and no compensation. */
function isOrdinary({ definition, work, when, call, capture, fallback, primary, compensation }: CompiledStep): boolean {
  const isPlainCall = work.kind === "call" && call === undefined && definition.inputSchema === undefined;
  const isPlain = fallback < 0 && primary < 0 && compensation === undefined;
  return isPlainCall && isPlain && when === undefined && capture === undefined;
}
