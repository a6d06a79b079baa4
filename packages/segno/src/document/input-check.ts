// Checks the input of a workflow against its schema.

import { CheckedInput, createSchemaCheck } from "@segno/contract";
import type { Definition, Json, SchemaMismatch } from "@segno/kernel";

import type { LoadedContract } from "./contract-document.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/**
 * The input of a start. If a module built the workflow, its own schema checks the input, too. That schema converts the input
 * when the execution starts, so the input is returned as it was given.
 */
export async function checkStartInput(
  { definition, workflow }: Extract<LoadedContract, { readonly kind: "definition" }>,
  given: Json | undefined,
  terminal: Terminal,
): Promise<CheckedInput | undefined> {
  const validate = workflow?.validate;
  if (validate === undefined) return checkInput(definition, given, terminal);
  const value = given ?? (await fitting(validate));
  await validate(value);
  return checkInput(definition, value, terminal);
}

/** Without an input the workflow gets null, or an empty object if null does not fit. */
async function fitting(validate: (input: unknown) => Promise<Json>): Promise<Json> {
  try {
    await validate(null);
    return null;
  } catch {
    // The check of the empty object reports all that is wrong.
    return {};
  }
}

/** Checks the given input, or finds the input that stands for none. Reports every mismatch, and then returns nothing. */
function checkInput(definition: Definition, given: Json | undefined, terminal: Terminal): CheckedInput | undefined {
  const result =
    given === undefined ? defaultInput(definition) : CheckedInput.check(definition, given, createSchemaCheck());
  if (result instanceof CheckedInput) return result;
  reportMismatches(result, terminal);
  return undefined;
}

/** Without an input the workflow gets null, or an empty object if null does not fit and the schema requires an object. */
function defaultInput(definition: Definition): CheckedInput | readonly SchemaMismatch[] {
  const check = createSchemaCheck();
  const result = CheckedInput.check(definition, null, check);
  const { input: schema } = definition;
  const needsObject = typeof schema === "object" && schema["type"] === "object";
  return result instanceof CheckedInput || !needsObject ? result : CheckedInput.check(definition, {}, check);
}

function reportMismatches(mismatches: readonly SchemaMismatch[], terminal: Terminal): void {
  const lines = mismatches.map(({ path, message }) => `  ${safeText(`input${joint(path)}${path} ${message}`)}`);
  terminal.report(
    `${terminal.reportPalette.bad("INPUT_INVALID")} the input does not fit the workflow's schema\n${lines.join("\n")}\n`,
  );
}

function joint(path: string): string {
  return path === "" || path.startsWith("[") ? "" : ".";
}
