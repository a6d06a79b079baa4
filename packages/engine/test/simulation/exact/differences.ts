// Describes the differences between the reference model and the engine.

import type { ActorCall } from "./actor.ts";
import type { ReferenceModel } from "./model/reference-model.ts";

export function firstDifference(
  what: string,
  expected: readonly string[],
  found: readonly string[],
): string | undefined {
  const length = Math.max(expected.length, found.length);
  for (let index = 0; index < length; index++)
    if (expected[index] !== found[index])
      return `${what} differ: expected \`${expected[index] ?? "nothing more"}\`, found \`${found[index] ?? "nothing more"}\``;
  return undefined;
}

/**
 * Reports an attempt whose input differs from the model's, or whose token differs from other attempts of its step
 * (IDEM-4).
 */
export function inputDifference(model: ReferenceModel, calls: readonly ActorCall[]): string | undefined {
  const tokens = new Map<string, string>();
  for (const { execution, step, attempt, input, token } of calls) {
    const place = `${execution} ${step}`;
    const expected = model.executions
      .get(execution)
      ?.attempts.calls.find((call) => call.step === step && call.attempt === attempt);
    if (expected?.input !== undefined && JSON.stringify(expected.input) !== JSON.stringify(input))
      return `attempt ${attempt} of ${place} has the input ${JSON.stringify(input)}, not ${JSON.stringify(expected.input)}`;
    if (tokens.has(place) && tokens.get(place) !== token) return `attempt ${attempt} of ${place} has another token`;
    tokens.set(place, token);
  }
  return new Set(tokens.values()).size === tokens.size ? undefined : "two steps have one token";
}
