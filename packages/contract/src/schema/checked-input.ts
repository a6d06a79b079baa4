import type { Definition, Json, JsonSchema, SchemaMismatch } from "@segno/kernel";

import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { SchemaCheck } from "./schema-check.ts";

/** An input that fits the schema of a workflow. The engine does not check it again when the workflow starts. */
export class CheckedInput {
  readonly #schema: JsonSchema | undefined;
  /** The checked value, frozen. */
  readonly value: Json;

  private constructor(schema: JsonSchema | undefined, value: Json) {
    this.#schema = schema;
    this.value = value;
  }

  /** Freezes the value, so that it still fits later. */
  static check(
    { input: schema }: Pick<Definition, "input">,
    value: Json,
    check: SchemaCheck,
  ): CheckedInput | readonly SchemaMismatch[] {
    const mismatches = schema === undefined ? [] : check(schema, value);
    return mismatches.length === 0 ? new CheckedInput(schema, deepFreeze(value)) : mismatches;
  }

  /** Whether the value was checked against this very schema. */
  fits(schema: JsonSchema | undefined): boolean {
    return this.#schema === schema;
  }
}
