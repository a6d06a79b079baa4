// The reports of a merge: to its policy, and to a person who reads the log.

import type { StepContext } from "@segno/engine";
import type { MergePolicy } from "../merging/merge-policies.ts";
import type { MergeResult } from "../model/merge-result.ts";
import type { NewTask } from "../model/task.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput } from "./step-values.ts";

export function mergePolicyOf({ task }: MergeInput, { ports }: StepRuntime): MergePolicy {
  return task === undefined ? ports.workflowMergePolicy : ports.stepMergePolicy;
}

/** An error of the policy's own report changes nothing. */
export async function tellFailure(
  input: MergeInput,
  result: MergeResult,
  { log }: StepContext,
  runtime: StepRuntime,
): Promise<void> {
  try {
    await mergePolicyOf(input, runtime).handleMergeFailure(result.mergeId, result);
  } catch (error) {
    log.warn("The merge policy did not handle the failure", { error: (error as Error).message });
  }
}

/** The lines of a log that a person sees at once; the journal has more. */
const LOG_LINES_MAX = 40;

export function logFailure(message: string, ciLogs: string | undefined, { log }: StepContext): void {
  log.error(message);
  const lines = (ciLogs ?? "").split("\n").filter((line) => line.trim() !== "");
  for (const line of lines.slice(-LOG_LINES_MAX)) log.info(line);
}

/** The request of a strategy to the agent of a fix. */
export function taskText({ title = "", instructions = "" }: NewTask): string {
  return [title, instructions].filter((text) => text !== "").join("\n\n");
}
