import { CheckedInput } from "@segno/contract";
import type { Json } from "@segno/kernel";
import type { RegisteredWorkflow } from "./registry.ts";
import type { CallbackLimit } from "../checks/callback-limit.ts";

/**
 * Validates the input of a start with the workflow's own schema. A schema that does not answer in time refuses the
 * start.
 */
export async function validInput(
  { validate, definition }: Pick<RegisteredWorkflow, "validate" | "definition">,
  given: Json | CheckedInput,
  limit: Pick<CallbackLimit, "awaitResult">,
): Promise<Json | CheckedInput> {
  if (validate === undefined) return given;
  return limit.awaitResult(
    `the schema of the input of \`${definition.name}\``,
    validate(given instanceof CheckedInput ? given.value : given),
  );
}
