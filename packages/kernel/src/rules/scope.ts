// Scopes (STATE-9): the definition of a `workflow` step was found or not; a scope timed out.

import { ACCEPTED, type Decision } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { Happening } from "./happening.ts";
import { renderCall, mismatch } from "./evaluate-step.ts";
import { mayStart } from "../state/permission.ts";
import type { Definition, JsonSchema } from "../model/definition.ts";
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
  const input = call.kind === "evaluated" ? callInput(call.value) : null;
  const schema = program.definition.input;
  const failure =
    call.kind === "failure"
      ? call.failure
      : schema === undefined
        ? undefined
        : inputMismatch(program.definition, schema, input, values);
  if (failure !== undefined) builder.emit({ kind: "step.failed", step, failure });
  else {
    const deadline = boundScope(state, step, builder, program);
    const children = { kind: "workflow", definition, input: inlineValue(input) } as const;
    builder.emit({ kind: "step.expanded", step, children, ...(deadline === undefined ? {} : { deadline }) });
  }
  return builder.finish();
}

/**
 * The message names both the calling step and the workflow: a reader knows the step, and not the input that the workflow
 * requires.
 */
function inputMismatch(
  { name, version }: Definition,
  schema: JsonSchema,
  input: Json,
  values: StoredValues,
): Failure | undefined {
  const workflow = version === undefined ? name : `${name}@${version}`;
  return mismatch("INPUT_INVALID", `the input of \`${workflow}\``, schema, input, values);
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
