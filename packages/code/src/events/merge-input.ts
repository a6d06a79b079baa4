// The part of a merge's input that its events depend on.

import { isJsonArray, isJsonObject, type ContentHash, type Json, type State, type Value } from "@segno/kernel";

/** Reads a value that lies beside the journal; undefined if it is not there. */
export type ReadValue = (hash: ContentHash) => Json | undefined;

/** Policies that wait for the checks of a forge. */
const FORGE_POLICIES: ReadonlySet<unknown> = new Set(["pr_and_merge", "pr_and_notify"]);

/** Whether a merge has checks of its own or of its task, or a policy that waits for those of a forge. */
export function hasChecks(state: State, step: number, readValue: ReadValue): boolean {
  const call = jsonOf(state.calls.get(step)?.value, readValue);
  const input = isJsonObject(call) ? call["input"] : undefined;
  if (!isJsonObject(input)) return false;
  const { checks, policy, task } = input;
  if (isFilled(checks) || FORGE_POLICIES.has(policy)) return true;
  return isJsonObject(task) && isFilled(task["checks"]);
}

function jsonOf(value: Value | undefined, readValue: ReadValue): Json | undefined {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? readValue(value.hash) : undefined;
}

function isFilled(list: Json | undefined): boolean {
  return isJsonArray(list) && list.length > 0;
}
