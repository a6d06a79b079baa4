// Why a received signal is still pending although a step waits for it: it does not fit the schema of that step.

import type { Json } from "../model/json.ts";
import { mismatchText } from "./mismatch-text.ts";
import { stepName } from "../state/names.ts";
import { compiledStep } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import type { StoredValues } from "./stored-values.ts";

export interface SignalRefusal {
  readonly step: string;
  readonly message: string;
}

/** The refusal of the step that has waited longest; undefined if no waiting step refused the signal, or one consumed it. */
export function signalRefusal(
  state: State,
  id: string,
  payload: Json,
  checkSchema: StoredValues["checkSchema"],
): SignalRefusal | undefined {
  const { pending, waiting, refused } = state.signals;
  const signal = pending.get(id);
  if (signal === undefined) return undefined;
  for (const step of waiting.get(signal.name) ?? []) {
    const { work } = compiledStep(state, step);
    if (!refused.has(`${step} ${id}`) || work.kind !== "signal" || work.schema === undefined) continue;
    return { step: stepName(state, step), message: mismatchText("the payload", checkSchema(work.schema, payload)) };
  }
  return undefined;
}
