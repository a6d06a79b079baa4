// What a function on a thread returned, made ready to cross.
//
// For a JSON value the thread loads the check of JSON only. For any other value it loads the outcome's check of the calling
// thread, while the value is still whole, so that the failure is the one that a function on the calling thread would get.

import { checkJson } from "@segno/kernel/json-check";
import { isSkip } from "../../agents/skip.ts";
import type { ThreadEnd } from "./thread-message.ts";

const NOTHING: ThreadEnd = { kind: "returned", text: "null" };

/** The outcome's own check measures longer values. A character has at most three bytes. */
const TEXT_MAX = 3_000_000;

export async function toThreadEnd(value: unknown): Promise<ThreadEnd> {
  if (value === undefined || value === null) return NOTHING;
  const text = plainText(value);
  return text === undefined ? checkedEnd(value) : { kind: "returned", text };
}

/** `undefined` for a value that is not certainly JSON, or not certainly small enough. */
function plainText(value: unknown): string | undefined {
  try {
    const check = checkJson(value);
    const text = check.kind === "json" ? JSON.stringify(check.json) : undefined;
    return text !== undefined && text.length <= TEXT_MAX ? text : undefined;
  } catch {
    return undefined;
  }
}

async function checkedEnd(value: unknown): Promise<ThreadEnd> {
  if (isSkip(value)) return { kind: "skipped", reason: value.reason };
  const { outcomeOfValue } = await import("../function-outcome.ts");
  const outcome = outcomeOfValue(value);
  if (outcome.kind === "failed") return { kind: "refused", failure: outcome.failure };
  if (outcome.kind === "expanded") return { kind: "expanded", text: JSON.stringify(value) };
  const json = outcome.kind === "succeeded" && outcome.output.kind === "inline" ? outcome.output.json : null;
  return { kind: "returned", text: JSON.stringify(json) };
}
