// Checking values against users' schemas: the `check` of the kernel's world.
//
//   K1. Total: an invalid schema, or one that never ends, is a mismatch with a reason, not an exception.
//   K2. Bounded: compiled schemas are kept by identity while somebody holds them, and by content for the last few.
//   K3. At most so many mismatches are named; a value of a million wrong items does not become a million messages.

import { formatJsonPath, type Json, type JsonSchema, type SchemaMismatch } from "@segno/kernel";
import type { ErrorObject, ValidateFunction } from "ajv";

import { canonicalJson } from "../canonical-json.ts";
import { compileSchema, dialectOf, validatorFor } from "./dialect.ts";
import { pointerPath } from "./json-pointer.ts";
import { schemaProblems } from "./schema-problems.ts";

const KEPT_MAX = 256;
const MISMATCHES_MAX = 20;

export type SchemaCheck = (schema: JsonSchema, value: Json) => readonly SchemaMismatch[];

export function createSchemaCheck(): SchemaCheck {
  const compiled = new CompiledSchemas();
  return (schema, value) => {
    if (schema === true) return [];
    if (schema === false) return [{ path: "", message: "nothing is allowed here" }];
    try {
      const validate = compiled.get(schema);
      return validate(value) ? [] : mismatches(validate.errors ?? [], value);
    } catch (error) {
      const reason = error instanceof RangeError ? "it refers to itself without end" : (error as Error).message;
      return [{ path: "", message: `the schema cannot be used: ${reason}` }];
    }
  };
}

class CompiledSchemas {
  readonly #byIdentity = new WeakMap<object, ValidateFunction>();
  /** Oldest first; a map keeps the order of insertion. */
  readonly #byContent = new Map<string, ValidateFunction>();

  get(schema: Exclude<JsonSchema, boolean>): ValidateFunction {
    const known = this.#byIdentity.get(schema);
    if (known !== undefined) return known;
    const content = canonicalJson(schema);
    const validate = this.#byContent.get(content) ?? compile(schema);
    this.#byContent.delete(content);
    this.#byContent.set(content, validate);
    if (this.#byContent.size > KEPT_MAX) this.#byContent.delete(this.#byContent.keys().next().value!);
    this.#byIdentity.set(schema, validate);
    return validate;
  }
}

function compile(schema: Exclude<JsonSchema, boolean>): ValidateFunction {
  const [wrong] = schemaProblems(schema);
  if (wrong !== undefined) throw new Error(wrong.message);
  return compileSchema(schema, validatorFor(dialectOf(schema)!));
}

function mismatches(errors: readonly ErrorObject[], value: Json): readonly SchemaMismatch[] {
  const told = new Map<string, SchemaMismatch>();
  for (const error of errors) {
    const path = pathOf(error, value);
    const message = messageOf(error);
    told.set(JSON.stringify([path, message]), { path, message });
    if (told.size >= MISMATCHES_MAX) break;
  }
  return [...told.values()];
}

/** `items[2].name`, empty for the value itself. A missing or an unknown key is named as the place. */
function pathOf({ instancePath, params }: ErrorObject, value: Json): string {
  const path = pointerPath(instancePath, value);
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const key = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const whole = key === undefined ? path : [...path, key];
  return whole.length === 0 ? "" : formatJsonPath(whole);
}

function messageOf({ keyword, message, params }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return "is missing";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not a known key";
    case "enum":
      return `must be one of ${(params as { allowedValues: readonly Json[] }).allowedValues.map((each) => JSON.stringify(each)).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify((params as { allowedValue: Json }).allowedValue)}`;
    default:
      return message ?? "does not fit";
  }
}
