// A condition that is a function becomes a step of its own, `_when-<id>`. The condition of the step reads its output.
//
//   K1. The function is called once, durably: the journal has its answer, so a retry of the step does not decide again.
//   K2. The step of the condition has the dependencies of the step, so it sees the same outputs. It has the workflow's input, also
//       if the step defines an input of its own.
//   K3. The answer must be a boolean. A text condition is true for any value that is not empty; a function with such a result
//       is mostly a mistake, for example a promise that nobody awaited.

import { PermanentError } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { StepContext } from "../agents/step-context.ts";
import type { ActionEntry, EntryWork, StepEntry } from "./step-entry.ts";
import type { StepOptions } from "./step-options.ts";

/** Permanent, because another attempt would mostly get the same answer. */
class ConditionError extends PermanentError {
  readonly code = "CONDITION_NOT_BOOLEAN";
}

type Condition = Extract<StepOptions["when"], (...given: never) => unknown>;

interface ConditionedEntry extends ActionEntry {
  readonly options: StepOptions & { readonly when: Condition };
}

/** The id of the step that evaluates the condition of a step. */
function conditionId(id: string): string {
  return `_when-${id}`;
}

/** The entries, with each condition that is a function as an entry of its own before its step. */
export function withConditions(parts: readonly StepEntry[], refusal: (reason: string) => Error): readonly StepEntry[] {
  if (!parts.some(isConditioned)) return parts;
  const fallbacks = new Set(parts.flatMap((part) => (part.kind === "step" ? (part.options.fallback ?? []) : [])));
  return parts.flatMap((part) => {
    if (!isConditioned(part)) return [part];
    // A fallback has no dependencies (STATE-8), and this one would depend on its condition.
    if (fallbacks.has(part.id))
      throw refusal(`step \`${part.id}\`: the condition of a fallback must be text; a function is a step of its own`);
    return [deciding(part), conditioned(part)];
  });
}

function isConditioned(part: StepEntry): part is ConditionedEntry {
  return part.kind === "step" && typeof part.options.when === "function";
}

function deciding({ id, options: { when, dependsOn, onError, enabled, priority } }: ConditionedEntry): StepEntry {
  // Absent options are `undefined` here and left out of the document.
  const options = { dependsOn, onError, enabled, priority } as StepOptions;
  return { kind: "internal", id: conditionId(id), options, work: toDecision(when) };
}

function conditioned(part: ConditionedEntry): StepEntry {
  const { id, options } = part;
  const { dependsOn } = options;
  const own = {
    ...options,
    // A value that is not a list is rejected at the condition, which has the original value.
    dependsOn: [...(Array.isArray(dependsOn) ? dependsOn : []), conditionId(id)],
    when: `steps.${JSON.stringify(conditionId(id))}.output`,
  };
  return { ...part, options: own, condition: conditionId(id) };
}

function toDecision(when: Condition): EntryWork {
  return async (context: StepContext) => {
    const answer: unknown = await when(context as never);
    if (typeof answer === "boolean") return answer;
    throw new ConditionError(
      `a condition must return true or false, not ${describeValue(answer)}; compare the value, for example with \`!== null\``,
    );
  };
}
