// Merges of workflows as the journal has them, and the command to try one again.

import type { Engine, ExecutionHandle } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import { codeEvents } from "../events/event-feed.ts";
import type { CodeEvent } from "../events/event-port.ts";
import { isLater } from "../events/stream-place.ts";
import { ErrorType } from "../model/error-type.ts";
import { EventType } from "../model/event-type.ts";
import type { MergeResult, MergeStatus } from "../model/merge-result.ts";
import { WORKFLOW_LANDING } from "../steps/merge-step.ts";
import type { MergeValue } from "../steps/step-values.ts";
import { mergeHistory, type MergeRecord } from "./merge-history.ts";

interface MergeName {
  readonly workflowId: string;
  /** Undefined for the landing of the workflow. */
  readonly taskId: string | undefined;
}

/** The events after which a merge has ended or waits for a person. */
const SETTLED: ReadonlySet<EventType> = new Set([
  EventType.MergeCompleted,
  EventType.MergeFailed,
  EventType.MergeWaitingForApproval,
]);

/** The merges of the workflows of an engine, read from its journal. */
export class MergeJournal {
  readonly #engine: () => Promise<Engine>;

  constructor(engine: () => Promise<Engine>) {
    this.#engine = engine;
  }

  /** The events of a workflow so far. */
  async events(workflowId: string): Promise<readonly CodeEvent[]> {
    const engine = await this.#engine();
    const { seq } = await (await engine.get(workflowId)).status();
    const events: CodeEvent[] = [];
    for await (const event of codeEvents(engine, workflowId, seq)) events.push(event);
    return events;
  }

  /** Undefined if the journal has no such merge. */
  async status(id: string): Promise<MergeStatus | undefined> {
    const name = readMergeId(id);
    const engine = await this.#engine();
    const handle = await engine.get(name.workflowId).catch(ignoreUnknown);
    const record = handle === undefined ? undefined : lastMerge(await this.events(name.workflowId), name);
    if (handle === undefined || record === undefined) return undefined;
    const { taskId, workflowId, state } = record;
    const hasEnded = record.endedAt !== undefined;
    const result = hasEnded ? { result: await this.#result(handle, id, record) } : {};
    return { mergeId: id, workflowId, ...(taskId === undefined ? {} : { taskId }), state, ...result };
  }

  /**
   * Tries a merge again that was escalated, or that failed with its workflow, and waits for its result. Work that has
   * landed does not land twice (CODE-6), and a merge that goes on is only waited for.
   */
  async retry(id: string): Promise<MergeResult> {
    const name = readMergeId(id);
    const { workflowId } = name;
    const status = await this.status(id);
    if (status === undefined) throw new CodeError("TASK_UNKNOWN", `there is no merge ${id}`);
    if (status.state === "completed") return status.result!;
    const engine = await this.#engine();
    const handle = await engine.get(workflowId);
    const last = (await this.events(workflowId)).at(-1)?.id;
    await beginAgain(handle, name);
    for await (const event of codeEvents(engine, workflowId))
      if (isLater(event.id, last) && event.taskId === name.taskId && SETTLED.has(event.type)) break;
    return (await this.status(id))?.result ?? { success: false, mergeId: id };
  }

  async #result(handle: ExecutionHandle, id: string, record: MergeRecord): Promise<MergeResult> {
    const { state, error, errorType, conflicts, ciLogs, taskId } = record;
    if (state === "completed") {
      const step = (await handle.status()).steps.find(({ name }) => isMergeStep(name, taskId));
      const value = step === undefined ? undefined : ((await handle.output(step.name)) as unknown as MergeValue);
      return { success: true, mergeId: id, ...(value?.kind === "landed" ? { commit: value.commit } : {}) };
    }
    return {
      success: false,
      mergeId: id,
      error: { type: errorType ?? ErrorType.CIFailure, message: error ?? "the merge failed" },
      ...(conflicts === undefined ? {} : { conflicts }),
      ...(ciLogs === undefined ? {} : { ciLogs }),
    };
  }
}

/** A failed merge of a workflow that runs has asked a person; the command is the answer. */
async function beginAgain(handle: ExecutionHandle, { taskId }: MergeName): Promise<void> {
  const { steps, status } = await handle.status();
  const question = steps.find(
    (step) => step.status === "suspended" && step.name.endsWith("/escalation") && isBelowMerge(step.name, taskId),
  );
  if (question !== undefined) await handle.approve(question.name, { by: "retryMerge" });
  else if (status === "failed") await handle.retry();
}

function readMergeId(id: string): MergeName {
  const slash = id.indexOf("/");
  const [workflowId, task] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)];
  return { workflowId, taskId: task === WORKFLOW_LANDING ? undefined : task };
}

function lastMerge(events: readonly CodeEvent[], { taskId }: MergeName): MergeRecord | undefined {
  return mergeHistory(events).findLast((record) => record.taskId === taskId);
}

/** Tasks that appeared in the task backend have their steps below `more-tasks`. */
function isMergeStep(step: string, taskId: string | undefined): boolean {
  return taskId === undefined ? step === "land" : step === `merge-${taskId}` || step.endsWith(`/merge-${taskId}`);
}

function isBelowMerge(step: string, taskId: string | undefined): boolean {
  const parts = step.split("/");
  return parts.some((_, index) => isMergeStep(parts.slice(0, index + 1).join("/"), taskId));
}

function ignoreUnknown(error: unknown): undefined {
  const { code } = error as { readonly code?: string };
  if (code === "EXECUTION_UNKNOWN" || code === "NAME_INVALID") return undefined;
  throw error;
}
