// Serializes the return value of an agent on a worker thread.
//
// The value is checked here, because its original type is lost once it is JSON. The main thread checks the JSON again
// (`thread-attempt.ts`) and masks what messages quote, since only it can mask. So the failure is the same as for an agent
// on the main thread.

import { checkJson, VALUE_BYTES_MAX } from "@segno/kernel/json-check";
import { boundedText } from "@segno/kernel/mask-and-cut";
import { isExpansion } from "../../agents/expansion.ts";
import { isSkip, skipReason } from "../../agents/skip.ts";
import type { AgentResult, CallValue, SerializedValue } from "./thread-message.ts";

/** Read before any module is loaded, because a module may replace it for the whole thread. */
const { stringify } = JSON;

const NULL_OUTPUT: CallValue = { kind: "returned", text: "null" };

export function toAgentResult(value: unknown): AgentResult {
  if (value === undefined || value === null) return NULL_OUTPUT;
  try {
    if (isSkip(value)) return { kind: "skipped", reason: boundedText(skipReason(value)) };
    return isExpansion(value) ? serializeExpansion(value) : serialize("returned", value);
  } catch {
    return { kind: "refused", value: "returned", reason: { kind: "unreadable" } };
  }
}

/** Serializes the value of a recorded call, as an output is serialized. */
export function toCallValue(value: unknown): CallValue {
  if (value === undefined || value === null) return NULL_OUTPUT;
  try {
    return serialize("returned", value);
  } catch {
    return { kind: "refused", value: "returned", reason: { kind: "unreadable" } };
  }
}

function serializeExpansion({ steps, result }: { readonly steps: unknown; readonly result: unknown }): AgentResult {
  return serialize("expanded", { steps, result });
}

/** A text has at least as many bytes as characters, so a text that is sent may still turn out to be too large. */
function serialize<Kind extends "returned" | "expanded">(kind: Kind, value: unknown): SerializedValue<Kind> {
  const check = checkJson(value);
  if (check.kind === "not-json") {
    const { path, found } = check;
    const reason = { kind: "not-json", path: boundedText(path), found: boundedText(found) } as const;
    return { kind: "refused", value: kind, reason };
  }
  if (check.kind === "too-large") return { kind: "refused", value: kind, reason: check };
  const text = stringify(check.json);
  if (text.length <= VALUE_BYTES_MAX) return { kind, text };
  return { kind: "refused", value: kind, reason: { kind: "too-large", bytes: Buffer.byteLength(text) } };
}
