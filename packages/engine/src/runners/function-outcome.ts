// What a function returned or threw, as the outcome of its attempt.

import { checkJson, failureOf, inline, VALUE_BYTES_MAX, type Failure, type Json, type Outcome } from "@segno/kernel";
import { Skip } from "./skip.ts";

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

export function outcomeOfValue(value: unknown): Outcome {
  if (value === undefined || value === null) return NOTHING;
  if (value instanceof Skip) return { kind: "skipped", message: value.reason };
  const check = checkJson(value);
  if (check.kind === "not-json") return { kind: "failed", failure: notJson(check.path, check.found) };
  if (typeof check.json !== "object" && typeof check.json !== "string")
    return { kind: "succeeded", output: inline(check.json) };
  // What the function returned is its own, and it may go on changing it; what the journal says must not change.
  const text = JSON.stringify(check.json);
  const bytes = Buffer.byteLength(text);
  return bytes > VALUE_BYTES_MAX
    ? { kind: "failed", failure: tooLarge(bytes) }
    : { kind: "succeeded", output: inline(JSON.parse(text) as Json) };
}

export function outcomeOfError(error: unknown, isAborted: boolean): Outcome {
  return { kind: "failed", failure: isAborted ? failureOf(error, "cancelled") : failureOf(error) };
}

function notJson(path: string, found: string): Failure {
  return { class: "permanent", code: "OUTPUT_NOT_JSON", message: `the output holds ${found}, which is not JSON`, path };
}

function tooLarge(bytes: number): Failure {
  return {
    class: "permanent",
    code: "VALUE_TOO_LARGE",
    message: `the output has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`,
  };
}
