import { createSchemaCheck } from "@segno/contract";
import type { Definition, Json } from "@segno/kernel";

import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Whether an input is one that the workflow takes; says everything that does not fit. */
export function isFitting({ input: schema }: Definition, input: Json, terminal: Terminal): boolean {
  const mismatches = schema === undefined ? [] : createSchemaCheck()(schema, input);
  if (mismatches.length === 0) return true;
  const lines = mismatches.map(({ path, message }) => `  ${safeText(`input${joint(path)}${path} ${message}`)}`);
  terminal.report(
    `${terminal.reportPalette.bad("INPUT_INVALID")} the input does not fit the workflow's schema\n${lines.join("\n")}\n`,
  );
  return false;
}

/** What stands for no input: null, or an object with nothing in it where the workflow wants an object. */
export function noInput({ input: schema }: Definition): Json {
  if (schema === undefined || createSchemaCheck()(schema, null).length === 0) return null;
  return typeof schema === "object" && schema["type"] === "object" ? {} : null;
}

function joint(path: string): string {
  return path === "" || path.startsWith("[") ? "" : ".";
}
