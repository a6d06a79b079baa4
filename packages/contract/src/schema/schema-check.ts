// Checking values against users' schemas: the `check` of the kernel's world.
//
//   K1. Total: an invalid schema, or one that never ends, is a mismatch with a reason, not an exception.
//   K2. Bounded: compiled schemas are kept by identity while somebody holds them, and by content for the last few.
//   K3. At most so many mismatches are named; a value of a million wrong items does not become a million messages.
//   K4. The work is paid for with fuel. A check that needs more is a mismatch as well: nobody knows whether the value fits.

import type { Json, JsonSchema, SchemaMismatch } from "@segno/kernel";

import { canonicalJson } from "../canonical-json.ts";
import { CompiledSchema } from "./compiled-schema.ts";
import { SchemaFuelSpent } from "./schema-fuel.ts";
import { SchemaTooDeep } from "./schema-node.ts";
import { schemaProblems } from "./schema-problems.ts";

const KEPT_MAX = 256;

export type SchemaCheck = (schema: JsonSchema, value: Json) => readonly SchemaMismatch[];

export function createSchemaCheck(): SchemaCheck {
  const compiled = new CompiledSchemas();
  return (schema, value) => {
    if (schema === true) return [];
    if (schema === false) return [{ path: "", message: "nothing is allowed here" }];
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
  /** Oldest first; a map keeps the order of insertion. */
  readonly #byContent = new Map<string, CompiledSchema>();

  get(schema: Exclude<JsonSchema, boolean>): CompiledSchema {
    const known = this.#byIdentity.get(schema);
    if (known !== undefined) return known;
    const content = canonicalJson(schema);
    const made = this.#byContent.get(content) ?? compile(schema);
    this.#byContent.delete(content);
    this.#byContent.set(content, made);
    if (this.#byContent.size > KEPT_MAX) this.#byContent.delete(this.#byContent.keys().next().value!);
    this.#byIdentity.set(schema, made);
    return made;
  }
}

function compile(schema: Exclude<JsonSchema, boolean>): CompiledSchema {
  const [wrong] = schemaProblems(schema);
  if (wrong !== undefined) throw new Error(wrong.message);
  return new CompiledSchema(schema);
}
