// Checks the input of a workflow against its schema.

import { CheckedInput, createSchemaCheck } from "@segno/contract";
import type { Definition, Json, SchemaMismatch } from "@segno/kernel";

import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Checks the given input, or finds the input that stands for none. Reports every mismatch, and then returns nothing. */
export function checkInput(
  definition: Definition,
  given: Json | undefined,
  terminal: Terminal,
): CheckedInput | undefined {
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
