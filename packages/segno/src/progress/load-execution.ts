// Opens an execution to follow: before its first event, or from its journal.

import type { ExecutionHandle } from "@segno/engine";
import { executionId, type ContentHash } from "@segno/kernel";

import { unknownExecution } from "../lookup/find-execution.ts";
import { FollowedExecution } from "./followed-execution.ts";
import { missingKind, storedHash, toShownValue, type ShownValue } from "./shown-value.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

/** An execution with this definition before its first event. */
export async function newExecution(
  engine: InspectedEngine,
  id: string,
  definition: ContentHash,
): Promise<FollowedExecution> {
  return new FollowedExecution(id, await engine.extensions.states.initial(definition));
}

/** An execution after the events in its journal, all of them or up to this sequence number. Only later events are new to it. */
export async function loadExecution(engine: InspectedEngine, id: string, upTo?: number): Promise<FollowedExecution> {
  const state = await engine.extensions.states.fold(executionId(id), upTo);
  if (state === undefined) throw unknownExecution(id);
  const execution = new FollowedExecution(id, state);
  await loadLabels(engine, execution, "all");
  return execution;
}

/** An execution with the progress of its steps. */
export async function loadWithProgress(engine: InspectedEngine, id: string, upTo?: number): Promise<FollowedExecution> {
  const execution = await loadExecution(engine, id, upTo);
  if (execution.count("running") === 0) return execution;
  for (const progress of await engine.progress(id)) execution.addProgress(progress);
  return execution;
}

/** Loads the values that labels need. A value that cannot be read gives no label and no error. */
export async function loadLabels(
  engine: InspectedEngine,
  execution: FollowedExecution,
  scope: "all" | "last",
): Promise<void> {
  const hashes = execution.missingValues(scope);
  if (hashes.length === 0) return;
  const values = await engine.extensions.readValues(executionId(execution.id), hashes).catch(() => undefined);
  if (values !== undefined) execution.addValues(values);
}

/** The input and the output of an execution; undefined if it has none. */
export interface InputAndOutput {
  readonly input: ShownValue | undefined;
  readonly output: ShownValue | undefined;
}

export async function loadInputAndOutput(
  engine: InspectedEngine,
  handle: ExecutionHandle,
  { input, status }: FollowedExecution,
): Promise<InputAndOutput> {
  const output = status === "completed" ? await readResult(handle) : undefined;
  if (input === undefined) return { input, output };
  const loaded = await engine.extensions.readValues(executionId(handle.id), storedHash(input));
  const shown = toShownValue(input, loaded, "lost");
  const isRemoved = shown?.kind === "lost" && (await handle.status()).payloadsRemovedAt !== undefined;
  return { input: isRemoved ? { kind: "removed" } : shown, output };
}

async function readResult(handle: ExecutionHandle): Promise<ShownValue> {
  try {
    return { kind: "value", json: await handle.result() };
  } catch (error) {
    return { kind: missingKind(error) };
  }
}
