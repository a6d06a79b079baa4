// Checks values against users' schemas. The kernel calls it as `StoredValues.checkSchema`.
//
//   K1. A check never throws: an invalid schema, or one that recurses for ever, is a mismatch with a reason.
//   K2. The cache of compiled schemas is bounded: weak by identity, and by content for the last few.
//   K3. The number of mismatches is limited, so that a value with a million wrong items does not become a million messages.
//   K4. A check costs fuel. If the fuel runs out, that is a mismatch too, because it is unknown whether the value fits.

import type { Json, JsonSchema, SchemaMismatch } from "@segno/kernel";

import { canonicalJson } from "../json/canonical-json.ts";
import { CompiledSchema } from "./compiled-schema.ts";
import { SchemaFuelSpent } from "./schema-fuel.ts";
import { schemaProblems } from "./schema-problems.ts";
import { SchemaTooDeep } from "./schema-too-deep.ts";

const KEPT_MAX = 256;

/** Checks a value against a JSON Schema and returns the mismatches; none if the value fits. */
export type SchemaCheck = (schema: JsonSchema, value: Json) => readonly SchemaMismatch[];

/** Returns a check of JSON values against JSON Schemas. It keeps compiled schemas, so use one check for many values. */
export function createSchemaCheck(): SchemaCheck {
  const compiled = new CompiledSchemas();
  return (schema, value) => {
    if (schema === true) return [];
    if (schema === false) return [{ path: "", message: "no value is allowed here" }];
    try {
      return compiled.get(schema).mismatches(value).all;
    } catch (error) {
      if (error instanceof SchemaFuelSpent || error instanceof SchemaTooDeep)
        return [{ path: "", message: error.message }];
      const reason = error instanceof RangeError ? "schema and value nest too deep" : (error as Error).message;
      return [{ path: "", message: `the schema cannot be used: ${reason}` }];
    }
  };
}

class CompiledSchemas {
  readonly #byIdentity = new WeakMap<object, CompiledSchema>();
  /** Oldest first, because a map keeps the order of insertion. */
  readonly #byContent = new Map<string, CompiledSchema>();

  get(schema: Exclude<JsonSchema, boolean>): CompiledSchema {
    const known = this.#byIdentity.get(schema);
    if (known !== undefined) return known;
    const content = canonicalJson(schema);
    const compiled = this.#byContent.get(content) ?? compile(schema);
    this.#byContent.delete(content);
    this.#byContent.set(content, compiled);
    if (this.#byContent.size > KEPT_MAX) this.#byContent.delete(this.#byContent.keys().next().value!);
    this.#byIdentity.set(schema, compiled);
    return compiled;
  }
}

function compile(schema: Exclude<JsonSchema, boolean>): CompiledSchema {
  const [wrong] = schemaProblems(schema);
  if (wrong !== undefined) throw new Error(wrong.message);
  return new CompiledSchema(schema);
}
