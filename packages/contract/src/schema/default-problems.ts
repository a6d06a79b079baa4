// Checks that each `default` of a schema fits the schema beside it (DATA-12). The schema itself is valid.
//
// All defaults of a schema share one budget. Defaults beyond the budget are not checked here: a start checks the whole input.

import { mismatchText, SchemaDefaults, type Json, type JsonObject, type Problem } from "@segno/kernel";

import { CompiledSchema } from "./compiled-schema.ts";
import { SchemaFuel, SchemaFuelSpent } from "./schema-fuel.ts";
import { SchemaTooDeep } from "./schema-too-deep.ts";
import { subSchemas } from "./schema-walk.ts";

export interface DefaultProblem extends Problem {
  readonly code: "SCHEMA_DEFAULT";
}

export function defaultProblems(root: JsonObject): readonly DefaultProblem[] {
  const parts = [...subSchemas(root)].filter(({ schema }) => schema["default"] !== undefined);
  if (parts.length === 0) return [];
  const check = new DefaultCheck(
    root,
    parts.map(({ schema }) => schema["default"]!),
  );
  return parts.flatMap(({ schema, path }) => {
    const message = check.mismatch(schema, schema["default"]!);
    return message === undefined ? [] : [{ code: "SCHEMA_DEFAULT", path: [...path, "default"], message }];
  });
}

class DefaultCheck {
  readonly #defaults: SchemaDefaults;
  readonly #compiled: CompiledSchema;
  readonly #fuel: SchemaFuel;

  constructor(root: JsonObject, values: readonly Json[]) {
    this.#defaults = new SchemaDefaults(root);
    this.#compiled = new CompiledSchema(root);
    this.#fuel = new SchemaFuel(values);
  }

  mismatch(part: JsonObject, value: Json): string | undefined {
    const filled = this.#defaults.fill(part, value);
    if (filled.kind === "endless") return `expected defaults that end: ${filled.message}`;
    try {
      const { all } = this.#compiled.partMismatches(part, filled.value, this.#fuel);
      return all.length === 0 ? undefined : mismatchText("expected a default that fits its schema", all);
    } catch (error) {
      if (error instanceof SchemaFuelSpent || error instanceof SchemaTooDeep) return undefined;
      throw error;
    }
  }
}
