import { withDefaults, type Definition, type Json, type JsonSchema, type SchemaMismatch } from "@segno/kernel";

import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { SchemaCheck } from "./schema-check.ts";

/** An input with the defaults of a workflow's schema, which it fits. The engine does not check it again when the workflow starts. */
export class CheckedInput {
  readonly #schema: JsonSchema | undefined;
  /** The checked value, frozen. */
  readonly value: Json;

  private constructor(schema: JsonSchema | undefined, value: Json) {
    this.#schema = schema;
    this.value = value;
  }

  /** Adds the defaults of the schema, and freezes the value, so that it still fits later. */
  static check(
    { input: schema }: Pick<Definition, "input">,
    value: Json,
    check: SchemaCheck,
  ): CheckedInput | readonly SchemaMismatch[] {
    if (schema === undefined) return new CheckedInput(schema, deepFreeze(value));
    const filled = withDefaults(schema, value);
    if (filled.kind === "endless") return [{ path: "", message: filled.message }];
    const mismatches = check(schema, filled.value);
    return mismatches.length === 0 ? new CheckedInput(schema, deepFreeze(filled.value)) : mismatches;
  }

  /** Whether the value was checked against this very schema. */
  fits(schema: JsonSchema | undefined): boolean {
    return this.#schema === schema;
  }
}
