// Serializes the return value of an agent on a worker thread.
//
// Most values are JSON, and a quick check is enough for them. For any other value, this file loads the full check of the
// main thread (`attempt-outcome.ts`) and runs it before the value is serialized. So the failure is the same as for an
// agent on the main thread.

import { checkJson } from "@segno/kernel/json-check";
import { isSkip } from "../../agents/skip.ts";
import type { AgentResult } from "./thread-message.ts";

const NULL_OUTPUT: AgentResult = { kind: "returned", text: "null" };

/**
 * A JSON text of this length is within the limit of a value, because a character has at most three bytes. Longer texts
 * go to the full check, which counts their bytes.
 */
const TEXT_MAX = 3_000_000;

export async function toAgentResult(value: unknown): Promise<AgentResult> {
  if (value === undefined || value === null) return NULL_OUTPUT;
  const text = plainText(value);
  return text === undefined ? checkedResult(value) : { kind: "returned", text };
}

/** The JSON text of the value; `undefined` unless the value is certainly JSON and certainly not too large. */
function plainText(value: unknown): string | undefined {
  try {
    const check = checkJson(value);
    const text = check.kind === "json" ? JSON.stringify(check.json) : undefined;
    return text !== undefined && text.length <= TEXT_MAX ? text : undefined;
  } catch {
    return undefined;
  }
}

async function checkedResult(value: unknown): Promise<AgentResult> {
  if (isSkip(value)) return { kind: "skipped", reason: value.reason };
  const { outcomeOfValue } = await import("../attempt-outcome.ts");
  const outcome = outcomeOfValue(value, { maskText: (text) => text });
  // The main thread says what is wrong with steps, because only it masks the texts that it quotes.
  const areInvalidSteps = outcome.kind === "failed" && outcome.failure.code === "EXPANSION_INVALID";
  if (outcome.kind === "expanded" || areInvalidSteps) return { kind: "expanded", text: JSON.stringify(value) };
  if (outcome.kind === "failed") return { kind: "refused", failure: outcome.failure };
  const json = outcome.kind === "succeeded" && outcome.output.kind === "inline" ? outcome.output.json : null;
  return { kind: "returned", text: JSON.stringify(json) };
}
