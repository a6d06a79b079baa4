// The input of a start: validated by the workflow's own function, copied, and checked against its schema.

import { CheckedInput } from "@segno/contract";
import { mismatchText, SegnoError, type Json, type StoredValues } from "@segno/kernel";
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

  /** A copy of the input. An invalid input is refused before anything is created (DATA-3). */
  copy({ definition: { name, input: schema } }: RegisteredWorkflow, given: Json | CheckedInput): Json {
    const input = copyJson("the input", given instanceof CheckedInput ? given.value : given);
    const isChecked = schema === undefined || (given instanceof CheckedInput && given.fits(schema));
    const mismatches = isChecked ? [] : this.#checkSchema(schema, input);
    if (mismatches.length === 0) return input;
    throw new SegnoError("INPUT_INVALID", mismatchText(`the input of \`${name}\``, mismatches));
  }
}
