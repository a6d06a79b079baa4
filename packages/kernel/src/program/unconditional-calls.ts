// The calls of other workflows that an execution is certain to make if nothing fails before.
//
// A step with a condition, a fallback, a disabled step and a map may end a cycle of calls, so they do not count. The depth limit of
// scopes bounds the calls that they lead to.

import type { StepDefinition } from "../model/definition.ts";
import { isEnabled } from "../model/policy.ts";

export interface UnconditionalCall {
  /** The index of the step among the others. */
  readonly index: number;
  readonly workflow: string;
}

export function unconditionalCalls(steps: readonly StepDefinition[]): readonly UnconditionalCall[] {
  const calls = steps.flatMap((step, index) =>
    step.action.kind === "workflow" && step.when === undefined && isEnabled(step)
      ? [{ index, id: step.id, workflow: step.action.workflow }]
      : [],
  );
  if (calls.length === 0) return [];
  const fallbacks = new Set(steps.map(({ fallback }) => fallback));
  return calls.filter(({ id }) => !fallbacks.has(id)).map(({ index, workflow }) => ({ index, workflow }));
}
