// Finds an execution by its id, by a prefix of the id, or by `@last`.

import type { ExecutionHandle, ListedExecution } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { listedExecutions } from "./listed-executions.ts";
import { isWhole } from "./short-id.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

/** Stands for the newest execution. */
const LAST = "@last";
/** The number of candidates that an error message lists. */
const CANDIDATES_MAX = 5;

export async function findExecution(engine: InspectedEngine, wanted: string): Promise<ExecutionHandle> {
  if (isWhole(wanted)) return engine.get(wanted);
  return engine.get(wanted === LAST ? await newest(engine) : await byPrefix(engine, wanted));
}

async function newest(engine: InspectedEngine): Promise<string> {
  let last: ListedExecution | undefined;
  for await (const execution of listedExecutions(engine)) last = execution;
  if (last === undefined)
    throw new SegnoError("EXECUTION_UNKNOWN", "there is no execution yet; `segno run` starts one");
  return last.id;
}

async function byPrefix(engine: InspectedEngine, wanted: string): Promise<string> {
  const found: ListedExecution[] = [];
  for await (const execution of listedExecutions(engine)) {
    // A full id is never ambiguous, even if another id begins with it.
    if (execution.id === wanted) return wanted;
    if (wanted !== "" && execution.id.startsWith(wanted)) found.push(execution);
  }
  if (found.length === 1) return found[0]!.id;
  throw found.length === 0 ? unknownExecution(wanted) : ambiguous(wanted, found);
}

export function unknownExecution(wanted: string): SegnoError {
  return new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${wanted}; \`segno list\` lists the executions`);
}

function ambiguous(wanted: string, found: readonly ListedExecution[]): SegnoError {
  const shown = found.slice(-CANDIDATES_MAX).map(({ id, workflow, status }) => `\n  ${id}  ${workflow}, ${status}`);
  const more = found.length > CANDIDATES_MAX ? `\n  and ${found.length - CANDIDATES_MAX} more` : "";
  return new SegnoError(
    "EXECUTION_AMBIGUOUS",
    `${found.length} executions begin with ${wanted}; give more of the id:${shown.join("")}${more}`,
  );
}
