// Evaluates the templates of a step: its call before it runs, its output when it has run. A template that cannot be evaluated is a
// failure of the step; a value that is not loaded yet is a need.

import type { Failure } from "../model/failure.ts";
import { isJsonArray, isJsonObject, type Json } from "../model/json.ts";
import type { SecretPath } from "../model/secret-path.ts";
import type { ContentHash } from "../model/units.ts";
import { inlineValue, VALUE_BYTES_MAX, type Value } from "../model/value.ts";
import type { JsonSchema } from "../model/definition.ts";
import { capture } from "../data/capture.ts";
import { createFuel } from "../data/jmespath/fuel.ts";
import { compute, isTruthy, render } from "../data/render.ts";
import type { CompiledCapture, CompiledCondition, CompiledRead, CompiledStep } from "../program/program.ts";
import { ContextMaker } from "./context.ts";
import { localStep, type Region } from "../state/region.ts";
import { compiledStep, enclosingWorkflowRegion, isOrdinary, findRegion } from "../state/step-position.ts";
import { type ResolvedCall, type State } from "../state/state.ts";
import { mismatchText } from "./mismatch-text.ts";
import type { StoredValues } from "./stored-values.ts";

export type StepEvaluation<Thing> =
  | { readonly kind: "evaluated"; readonly value: Thing }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "needs"; readonly values: Iterable<ContentHash> };

export const NO_CALL: ResolvedCall = Object.freeze({ value: undefined, secrets: Object.freeze([]) });
const EVALUATED_NO_CALL: StepEvaluation<ResolvedCall> = Object.freeze({ kind: "evaluated", value: NO_CALL });

export function renderCall(state: State, step: number, values: StoredValues): StepEvaluation<ResolvedCall> {
  if (isOrdinary(state, step)) return EVALUATED_NO_CALL;
  const compiled = compiledStep(state, step);
  if (compiled.call === undefined) {
    const inputFailure = checkInput(compiled, {}, values);
    return inputFailure === undefined ? EVALUATED_NO_CALL : { kind: "failure", failure: inputFailure };
  }
  const maker = new ContextMaker(state, values);
  const context = maker.forStep(step, compiled.call.references);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const rendered = render(compiled.call.template, context, isStrict(state, step));
  if (rendered.kind === "failure") return rendered;
  const failure = checkInput(compiled, withoutSecrets(rendered.value, rendered.secrets), values);
  if (failure !== undefined) return { kind: "failure", failure };
  return { kind: "evaluated", value: { value: inlineValue(rendered.value), secrets: rendered.secrets } };
}

function isStrict(state: State, step: number): boolean {
  return enclosingWorkflowRegion(state, step).program.strict;
}

/** Replaces a secret while an input is checked against its schema: a secret is some text. */
const SOME_SECRET = "a secret";

function withoutSecrets(call: Json, secrets: readonly SecretPath[]): Json {
  return secrets.reduce<Json>((value, { path }) => replacedAt(value, path), call);
}

function replacedAt(value: Json, [key, ...rest]: SecretPath["path"]): Json {
  if (key === undefined) return SOME_SECRET;
  if (isJsonArray(value)) return value.map((item, index) => (index === key ? replacedAt(item, rest) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: replacedAt(value[key] ?? null, rest) };
}

function checkInput(compiled: CompiledStep, call: Json, values: StoredValues): Failure | undefined {
  const { inputSchema } = compiled.definition;
  if (inputSchema === undefined || !isJsonObject(call)) return undefined;
  return mismatch("INPUT_INVALID", "the input", inputSchema, call["input"] ?? null, values);
}

/** `what` begins the message: "the output", for example. */
export function mismatch(
  code: string,
  subject: string,
  schema: JsonSchema,
  value: Json,
  values: StoredValues,
): Failure | undefined {
  const mismatches = values.checkSchema(schema, value);
  const [first] = mismatches;
  if (first === undefined) return undefined;
  return { class: "permanent", code, message: mismatchText(subject, mismatches), path: first.path };
}

/** Truth as in JMESPath: false, null and empty values are false. */
export function evaluateCondition(
  state: State,
  step: number,
  condition: CompiledCondition,
  values: StoredValues,
): StepEvaluation<boolean> {
  const value = evaluateExpression(state, step, condition, values);
  return value.kind === "evaluated" ? { kind: "evaluated", value: isTruthy(value.value) } : value;
}

export function evaluateExpression(
  state: State,
  step: number,
  condition: CompiledCondition,
  values: StoredValues,
): StepEvaluation<Json> {
  const maker = new ContextMaker(state, values);
  return computeWith(maker, maker.forStep(step, condition.references), condition, isStrict(state, step));
}

/** An expression that is evaluated when all steps of a region have ended. */
export function evaluateInRegion(
  state: State,
  region: Region,
  condition: CompiledCondition,
  values: StoredValues,
): StepEvaluation<Json> {
  const maker = new ContextMaker(state, values);
  return computeWith(maker, maker.forRegion(region, condition.references), condition, isStrict(state, region.parent));
}

function computeWith(
  maker: ContextMaker,
  context: Readonly<Record<string, Json>>,
  { expression }: CompiledCondition,
  strict: boolean,
): StepEvaluation<Json> {
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const computed = compute(expression, context, createFuel(), strict);
  return computed.kind === "failure" ? computed : { kind: "evaluated", value: computed.value };
}

export function renderTemplate(
  state: State,
  step: number,
  read: CompiledRead,
  values: StoredValues,
): StepEvaluation<Json> {
  const maker = new ContextMaker(state, values);
  const context = maker.forStep(step, read.references);
  return renderWith(maker, context, read, isStrict(state, step));
}

/** The output of a workflow or sub-workflow whose steps have all ended; null if it declares none. */
export function renderResult(state: State, region: Region, values: StoredValues): StepEvaluation<Value> {
  const { output, strict } = region.program;
  if (output === undefined) return { kind: "evaluated", value: inlineValue(null) };
  const maker = new ContextMaker(state, values);
  const rendered = renderWith(maker, maker.forRegion(region, output.references), output, strict);
  return rendered.kind === "evaluated" ? { kind: "evaluated", value: inlineValue(rendered.value) } : rendered;
}

function renderWith(
  maker: ContextMaker,
  context: Readonly<Record<string, Json>>,
  read: CompiledRead,
  strict: boolean,
): StepEvaluation<Json> {
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const rendered = render(read.template, context, strict);
  return rendered.kind === "failure" ? rendered : { kind: "evaluated", value: rendered.value };
}

/** DATA-3: selects and checks the output, and checks whether it can be written to its variable. */
export function captureOutput(state: State, step: number, raw: Value, values: StoredValues): StepEvaluation<Value> {
  if (raw.kind === "stored" && raw.bytes > VALUE_BYTES_MAX) return tooLarge(raw.bytes);
  if (isOrdinary(state, step)) return { kind: "evaluated", value: raw };
  const region = findRegion(state, step);
  const plan = region.program.steps[localStep(region, step)]!.capture;
  if (plan === undefined) return { kind: "evaluated", value: raw };
  const maker = new ContextMaker(state, values);
  const loaded = maker.load(raw, step);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const selected =
    plan.select === undefined ? ({ kind: "value", value: loaded } as const) : compute(plan.select, loaded);
  if (selected.kind === "failure") return selected;
  const failure =
    plan.schema === undefined
      ? undefined
      : mismatch("OUTPUT_INVALID", "the output", plan.schema, selected.value, values);
  if (failure !== undefined) return { kind: "failure", failure };
  return (
    tryWrite(state, step, region, plan, selected.value, values) ?? {
      kind: "evaluated",
      value: plan.select === undefined ? raw : inlineValue(selected.value),
    }
  );
}

function tooLarge(bytes: number): StepEvaluation<Value> {
  const message = `the output has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`;
  return { kind: "failure", failure: { class: "permanent", code: "VALUE_TOO_LARGE", message } };
}

/** A write that would fail must fail the step now, and not a reader later. */
function tryWrite(
  state: State,
  step: number,
  region: Region,
  plan: CompiledCapture,
  value: Json,
  values: StoredValues,
): StepEvaluation<Value> | undefined {
  const { readOnly } = region.program;
  if (plan.to === undefined || (plan.merge === "replace" && readOnly.length === 0)) return undefined;
  const maker = new ContextMaker(state, values);
  const variables = maker.variablesBefore(step, plan.to);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const captured = capture(variables, { path: plan.to, merge: plan.merge, value }, readOnly);
  return captured.kind === "failure" ? captured : undefined;
}
