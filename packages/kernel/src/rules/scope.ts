// Scopes (STATE-9): the definition of a `workflow` step was found or not; a scope timed out.

import { ACCEPTED, type Decision } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { Happening } from "./happening.ts";
import { withDefaults } from "../data/schema-defaults.ts";
import { renderCall, mismatch } from "./evaluate-step.ts";
import { mayStart } from "../state/permission.ts";
import type { Definition } from "../model/definition.ts";
import type { Failure } from "../model/failure.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import { inlineValue } from "../model/value.ts";
import { boundScope, scopeBound, scopeDeadline } from "./scope-deadline.ts";
import { compiledStep, lastChildRegion } from "../state/step-position.ts";
import { stepCount, type ResolvedCall, type State } from "../state/state.ts";
import { stopFailing } from "./stop.ts";
import type { StoredValues } from "./stored-values.ts";

export function decideResolved(
  state: State,
  { step, definition, at }: Happening & { kind: "resolved" },
  values: StoredValues,
): Decision {
  if (!isAwaited(state, step)) return ignore(state, "not-asked");
  const program = state.library.get(definition);
  if (program === undefined) return ignore(state, "stale");
  const call = renderCall(state, step, values);
  if (call.kind === "needs") return needs(call.values);
  const builder = new DecisionBuilder(state, at);
  const input = call.kind === "failure" ? call : calledInput(program.definition, callInput(call.value), values);
  if (input.kind === "failure") builder.emit({ kind: "step.failed", step, failure: input.failure });
  else {
    const deadline = boundScope(state, step, builder, program);
    const children = { kind: "workflow", definition, input: inlineValue(input.value) } as const;
    builder.emit({ kind: "step.expanded", step, children, ...(deadline === undefined ? {} : { deadline }) });
  }
  return builder.finish();
}

type CalledInput =
  | { readonly kind: "input"; readonly value: Json }
  | { readonly kind: "failure"; readonly failure: Failure };

/**
 * The input of a called workflow, with the defaults of its schema (DATA-12). The message of a failure names the workflow, and the
 * failure is that of the calling step: a reader knows the step, and not the input that the workflow requires.
 */
function calledInput({ name, version, input: schema }: Definition, given: Json, values: StoredValues): CalledInput {
  if (schema === undefined) return { kind: "input", value: given };
  const subject = `the input of \`${version === undefined ? name : `${name}@${version}`}\``;
  const filled = withDefaults(schema, given);
  if (filled.kind === "endless") {
    const message = `${subject}: ${filled.message}`;
    return { kind: "failure", failure: { class: "permanent", code: "INPUT_INVALID", message } };
  }
  const failure = mismatch("INPUT_INVALID", subject, schema, filled.value, values);
  return failure === undefined ? { kind: "input", value: filled.value } : { kind: "failure", failure };
}

export function decideUnresolved(state: State, { step, failure, at }: Happening & { kind: "unresolved" }): Decision {
  if (!isAwaited(state, step)) return ignore(state, "not-asked");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "step.failed", step, failure });
  return builder.finish();
}

export function decideScopeDeadline(state: State, step: StepIndex, at: EpochMs): Decision {
  const deadline = scopeDeadline(state, step);
  const bound = deadline === undefined || at < deadline ? undefined : scopeBound(state, step);
  if (bound === undefined) return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  const { failure } = bound;
  if (lastChildRegion(state, step).failure === undefined) builder.emit({ kind: "step.failing", step, failure });
  stopFailing(state, builder, failure.message, step);
  return builder.finish();
}

/** A new round has opened scopes again: their timers are armed again. */
export function decideScopeTimers(state: State, at: EpochMs): Decision {
  const builder = new DecisionBuilder(state, at);
  for (let step = 0; step < stepCount(state); step++) {
    const dueAt = scopeDeadline(state, step);
    if (dueAt !== undefined)
      builder.emitEffect({ kind: "arm", timer: { kind: "scope-deadline", step: step as StepIndex }, dueAt });
  }
  return builder.finish(ACCEPTED, { queue: "scopes", count: 1 });
}

function isAwaited(state: State, step: number): boolean {
  return (
    state.columns.queued[step] === 1 && mayStart(state, step) && compiledStep(state, step).work.kind === "workflow"
  );
}

function callInput(call: ResolvedCall): Json {
  const value = call.value?.kind === "inline" ? call.value.json : null;
  return isJsonObject(value) ? (value["input"] ?? null) : null;
}
