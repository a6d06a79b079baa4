// What a function on a thread returned, made ready to cross.
//
// Most values are plain JSON, and for those nothing more is loaded than this. Only for what is not is the check of the
// calling thread loaded here, while the value is still whole; so the failure is the one that a function there would get.

import { isSkip } from "../../agents/skip.ts";
import type { ThreadEnd } from "./thread-message.ts";

const NOTHING: ThreadEnd = { kind: "returned", text: "null" };

/** Deeper and longer values are left to the check that knows what is allowed. A character has three bytes at most. */
const DEPTH_MAX = 32;
const TEXT_MAX = 3_000_000;

export async function toThreadEnd(value: unknown): Promise<ThreadEnd> {
  if (value === undefined || value === null) return NOTHING;
  const text = plainText(value);
  return text === undefined ? checkedEnd(value) : { kind: "returned", text };
}

/** Nothing for whatever is not certainly JSON, and certainly not too large. */
function plainText(value: unknown): string | undefined {
  try {
    const text = isPlain(value, 0) ? JSON.stringify(value) : undefined;
    return text !== undefined && text.length <= TEXT_MAX ? text : undefined;
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" || typeof value === "boolean" || value === null;
  if (depth > DEPTH_MAX || "toJSON" in value) return false;
  if (Array.isArray(value)) return Array.from(value).every((each) => isPlain(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((each) => isPlain(each, depth + 1));
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
