// Serializes the return value of a function on a worker thread.
//
// Most values are JSON and need only the check of JSON. For any other value, the full check of the calling thread is
// loaded here while the value is still complete, so the failure is the same as for a function on that thread.

import { checkJson } from "@segno/kernel/json-check";
import { isSkip } from "../../agents/skip.ts";
import type { FunctionResult } from "./thread-message.ts";

const NOTHING: FunctionResult = { kind: "returned", text: "null" };

/**
 * A JSON text of this length is within the limit of a value, because a character has at most three bytes. Longer texts
 * go to the full check, which counts their bytes.
 */
const TEXT_MAX = 3_000_000;

export async function toFunctionResult(value: unknown): Promise<FunctionResult> {
  if (value === undefined || value === null) return NOTHING;
  const text = plainText(value);
  return text === undefined ? checkedResult(value) : { kind: "returned", text };
}

/** Returns `undefined` unless the value is certainly JSON and certainly not too large. */
function plainText(value: unknown): string | undefined {
  try {
    const check = checkJson(value);
    const text = check.kind === "json" ? JSON.stringify(check.json) : undefined;
    return text !== undefined && text.length <= TEXT_MAX ? text : undefined;
  } catch {
    return undefined;
  }
}

async function checkedResult(value: unknown): Promise<FunctionResult> {
  if (isSkip(value)) return { kind: "skipped", reason: value.reason };
  const { outcomeOfValue } = await import("../function-outcome.ts");
  const outcome = outcomeOfValue(value);
  if (outcome.kind === "failed") return { kind: "refused", failure: outcome.failure };
  if (outcome.kind === "expanded") return { kind: "expanded", text: JSON.stringify(value) };
  const json = outcome.kind === "succeeded" && outcome.output.kind === "inline" ? outcome.output.json : null;
  return { kind: "returned", text: JSON.stringify(json) };
}
