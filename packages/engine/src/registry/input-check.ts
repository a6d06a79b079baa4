// The input of a start: validated by the workflow's own function, copied, completed with the defaults of its schema, and checked
// against it.

import { CheckedInput } from "@segno/contract";
import {
  mismatchText,
  SegnoError,
  withDefaults,
  type Json,
  type SchemaMismatch,
  type StoredValues,
} from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { copyJson } from "../checks/copy-json.ts";
import type { RegisteredWorkflow } from "./registry.ts";

export class InputCheck {
  readonly #checkSchema: StoredValues["checkSchema"];
  readonly #limit: Pick<CallbackLimit, "awaitResult">;

  constructor(checkSchema: StoredValues["checkSchema"], limit: Pick<CallbackLimit, "awaitResult">) {
    this.#checkSchema = checkSchema;
    this.#limit = limit;
  }

  /**
   * The input as the workflow's own schema converts it; undefined if the workflow has none. A schema that does not
   * answer in time refuses the start.
   */
  validate(
    { validate, definition }: Pick<RegisteredWorkflow, "validate" | "definition">,
    given: Json | CheckedInput,
  ): Promise<Json> | undefined {
    const value = given instanceof CheckedInput ? given.value : given;
    if (validate === undefined) return undefined;
    return this.#limit.awaitResult(`the schema of the input of \`${definition.name}\``, validate(value));
  }

  /** A copy of the input, with defaults. An invalid input is refused before anything is created (DATA-3, DATA-12). */
  copy({ definition: { name, input: schema } }: RegisteredWorkflow, given: Json | CheckedInput): Json {
    const copy = copyJson("the input", given instanceof CheckedInput ? given.value : given);
    if (schema === undefined || (given instanceof CheckedInput && given.fits(schema))) return copy;
    const filled = withDefaults(schema, copy);
    if (filled.kind === "endless") throw inputInvalid(name, [{ path: "", message: filled.message }]);
    const input = filled.value === copy ? copy : copyJson("the input with its defaults", filled.value);
    const mismatches = this.#checkSchema(schema, input);
    if (mismatches.length > 0) throw inputInvalid(name, mismatches);
    return input;
  }
}

function inputInvalid(workflow: string, mismatches: readonly SchemaMismatch[]): SegnoError {
  return new SegnoError("INPUT_INVALID", mismatchText(`the input of \`${workflow}\``, mismatches));
}
