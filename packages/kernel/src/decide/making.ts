// Making values for a step: its call before it runs, its output when it has run. What cannot be made is a failure of the
// step; what cannot be made yet is a need.

import type { Failure } from "../model/failure.ts";
import { isJsonArray, isJsonObject, type Json } from "../model/json.ts";
import type { SecretPlace } from "../model/secret-place.ts";
import type { ContentHash } from "../model/units.ts";
import { inline, VALUE_BYTES_MAX, type Value } from "../model/value.ts";
import type { JsonSchema } from "../model/definition.ts";
import { capture } from "../data/capture.ts";
import { createFuel } from "../data/jmespath/fuel.ts";
import { compute, isTruthy, render } from "../data/render.ts";
import type { CompiledCapture, CompiledCondition, CompiledRead, CompiledStep } from "../program/program.ts";
import { ContextMaker } from "./context.ts";
import { localOf, type Region } from "./region.ts";
import { compiledStep, frameAround, isOrdinary, regionOf } from "./place.ts";
import { type Call, type State } from "./state.ts";
import { mismatchText } from "./mismatch-text.ts";
import type { World } from "./world.ts";

export type Made<Thing> =
  | { readonly kind: "made"; readonly made: Thing }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "needs"; readonly values: Iterable<ContentHash> };

export const NO_CALL: Call = Object.freeze({ value: undefined, secrets: Object.freeze([]) });
const MADE_NO_CALL: Made<Call> = Object.freeze({ kind: "made", made: NO_CALL });

export function makeCall(state: State, step: number, world: World): Made<Call> {
  if (isOrdinary(state, step)) return MADE_NO_CALL;
  const compiled = compiledStep(state, step);
  if (compiled.call === undefined) {
    const unfit = checkInput(compiled, {}, world);
    return unfit === undefined ? MADE_NO_CALL : { kind: "failure", failure: unfit };
  }
  const maker = new ContextMaker(state, world);
  const context = maker.forStep(step, compiled.call.references);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const rendered = render(compiled.call.template, context, strictnessOf(state, step));
  if (rendered.kind === "failure") return rendered;
  const failure = checkInput(compiled, withoutSecrets(rendered.value, rendered.secrets), world);
  if (failure !== undefined) return { kind: "failure", failure };
  return { kind: "made", made: { value: inline(rendered.value), secrets: rendered.secrets } };
}

function strictnessOf(state: State, step: number): boolean {
  return frameAround(state, step).program.strict;
}

/** Stands for a secret while an input is checked: it is some text, which is all that can be said of it. */
const SOME_SECRET = "a secret";

function withoutSecrets(call: Json, secrets: readonly SecretPlace[]): Json {
  return secrets.reduce<Json>((value, { path }) => replacedAt(value, path), call);
}

function replacedAt(value: Json, [key, ...rest]: SecretPlace["path"]): Json {
  if (key === undefined) return SOME_SECRET;
  if (isJsonArray(value)) return value.map((item, index) => (index === key ? replacedAt(item, rest) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: replacedAt(value[key] ?? null, rest) };
}

function checkInput(compiled: CompiledStep, call: Json, world: World): Failure | undefined {
  const { inputSchema } = compiled.definition;
  if (inputSchema === undefined || !isJsonObject(call)) return undefined;
  return mismatch("INPUT_INVALID", "the input", inputSchema, call["input"] ?? null, world);
}

/** `what` begins the message: "the output", for example. */
export function mismatch(
  code: string,
  what: string,
  schema: JsonSchema,
  value: Json,
  world: World,
): Failure | undefined {
  const mismatches = world.check(schema, value);
  const [first] = mismatches;
  if (first === undefined) return undefined;
  return { class: "permanent", code, message: mismatchText(what, mismatches), path: first.path };
}

/** JMESPath's own idea of truth: false, null and everything empty are false. */
export function makeCondition(state: State, step: number, condition: CompiledCondition, world: World): Made<boolean> {
  const value = makeExpression(state, step, condition, world);
  return value.kind === "made" ? { kind: "made", made: isTruthy(value.made) } : value;
}

export function makeExpression(
  state: State,
  step: number,
  { expression, references }: CompiledCondition,
  world: World,
): Made<Json> {
  const maker = new ContextMaker(state, world);
  const context = maker.forStep(step, references);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const computed = compute(expression, context, createFuel(), strictnessOf(state, step));
  return computed.kind === "failure" ? computed : { kind: "made", made: computed.value };
}

export function makeTemplate(state: State, step: number, read: CompiledRead, world: World): Made<Json> {
  const maker = new ContextMaker(state, world);
  const context = maker.forStep(step, read.references);
  return renderWith(maker, context, read, strictnessOf(state, step));
}

/** The output of a workflow or sub-workflow whose steps have all ended; null when it names none. */
export function makeResult(state: State, region: Region, world: World): Made<Value> {
  const { output, strict } = region.program;
  if (output === undefined) return { kind: "made", made: inline(null) };
  const maker = new ContextMaker(state, world);
  const rendered = renderWith(maker, maker.forRegion(region, output.references), output, strict);
  return rendered.kind === "made" ? { kind: "made", made: inline(rendered.made) } : rendered;
}

function renderWith(
  maker: ContextMaker,
  context: Readonly<Record<string, Json>>,
  read: CompiledRead,
  strict: boolean,
): Made<Json> {
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const rendered = render(read.template, context, strict);
  return rendered.kind === "failure" ? rendered : { kind: "made", made: rendered.value };
}

/** DATA-3: select, check, and see whether it could be written where it should go. */
export function makeOutput(state: State, step: number, raw: Value, world: World): Made<Value> {
  if (raw.kind === "stored" && raw.bytes > VALUE_BYTES_MAX) return tooLarge(raw.bytes);
  if (isOrdinary(state, step)) return { kind: "made", made: raw };
  const region = regionOf(state, step);
  const plan = region.program.steps[localOf(region, step)]!.capture;
  if (plan === undefined) return { kind: "made", made: raw };
  const maker = new ContextMaker(state, world);
  const loaded = maker.load(raw, step);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const selected =
    plan.select === undefined ? ({ kind: "value", value: loaded } as const) : compute(plan.select, loaded);
  if (selected.kind === "failure") return selected;
  const failure =
    plan.schema === undefined
      ? undefined
      : mismatch("OUTPUT_INVALID", "the output", plan.schema, selected.value, world);
  if (failure !== undefined) return { kind: "failure", failure };
  return (
    tryWrite(state, step, region, plan, selected.value, world) ?? {
      kind: "made",
      made: plan.select === undefined ? raw : inline(selected.value),
    }
  );
}

function tooLarge(bytes: number): Made<Value> {
  const message = `the output has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`;
  return { kind: "failure", failure: { class: "permanent", code: "VALUE_TOO_LARGE", message } };
}

/** A write that would fail must fail the step now, not a reader later. */
function tryWrite(
  state: State,
  step: number,
  region: Region,
  plan: CompiledCapture,
  value: Json,
  world: World,
): Made<Value> | undefined {
  const { readOnly } = region.program;
  if (plan.to === undefined || (plan.merge === "replace" && readOnly.length === 0)) return undefined;
  const maker = new ContextMaker(state, world);
  const variables = maker.variablesBefore(step, plan.to);
  if (maker.needs.size > 0) return { kind: "needs", values: maker.needs };
  const captured = capture(variables, { path: plan.to, merge: plan.merge, value }, readOnly);
  return captured.kind === "failure" ? captured : undefined;
}
