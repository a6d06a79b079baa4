import type { Engine, StoredExecution } from "@segno/engine";
import { executionId, type Json } from "@segno/kernel";
import type { CodeInput } from "../steps/step-values.ts";

/** The input of a code workflow; undefined if the execution is not one. */
export async function readCodeInput(engine: Engine, id: string): Promise<CodeInput | undefined> {
  const { extensions } = engine;
  const state = await extensions.states.read(executionId(id));
  if (state === undefined) return undefined;
  return await codeInputOf({ state, readValues: (hashes) => extensions.readValues(executionId(id), hashes) });
}

/** The same of an execution whose state is known. */
export async function codeInputOf({
  state,
  readValues,
}: Pick<StoredExecution, "state" | "readValues">): Promise<CodeInput | undefined> {
  const value = state.created?.input;
  if (value === undefined) return undefined;
  const json: Json | undefined =
    value.kind === "inline"
      ? value.json
      : value.kind === "stored"
        ? (await readValues([value.hash])).get(value.hash)
        : undefined;
  const input = json as Partial<CodeInput> | undefined;
  return typeof input === "object" && input !== null && "settings" in input ? (input as CodeInput) : undefined;
}
