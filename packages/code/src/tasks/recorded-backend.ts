// A task backend over a list of records. How the records are kept is left to `TaskRecords`: in memory, in a file or in a
// journal.

import { CLAIM_LEASE_MS, CLAIM_RENEWAL_MS } from "./claim-lease.ts";
import type { TaskBackend } from "./task-backend.ts";
import type { TaskList } from "./task-list.ts";
import type { TaskRecord } from "./task-record.ts";
import type { NewTask, CodeTask, TaskChanges, CodeTaskResult } from "../model/task.ts";

export interface TaskRecords {
  /**
   * Runs `work` on the current list while no other process changes it, and keeps the records that it returns before the
   * promise resolves. `taskId` is a task of the list, or the workflow of a new task: the records of different workflows
   * may be kept in different places.
   */
  change<Result>(taskId: string, work: (list: TaskList) => TaskChange<Result>): Promise<Result>;
  /** The list that has this task or workflow. */
  read(taskId: string): Promise<TaskList>;
}

export interface TaskChange<Result> {
  readonly records: readonly TaskRecord[];
  /** Computed after the records were applied. */
  readonly result: () => Result;
}

/** Options of a `RecordedBackend`. */
export interface RecordedBackendOptions {
  /** The clock by which claims expire. */
  readonly now?: () => number;
}

/** A task backend over a list of records, which subclasses keep. */
export class RecordedBackend implements TaskBackend {
  readonly #records: TaskRecords;
  readonly #now: () => number;

  constructor(records: TaskRecords, { now = Date.now }: RecordedBackendOptions = {}) {
    this.#records = records;
    this.#now = now;
  }

  createTask(task: NewTask): Promise<CodeTask> {
    return this.#records.change(task.workflowId, (list) => {
      const isNew = list.get(task.id) === undefined;
      if (isNew) list.checkNew(task);
      return { records: isNew ? [{ kind: "created", task }] : [], result: () => list.existing(task.id) };
    });
  }

  updateTask(taskId: string, changes: TaskChanges): Promise<CodeTask> {
    return this.#records.change(taskId, (list) => {
      list.existing(taskId);
      return { records: [{ kind: "updated", id: taskId, changes }], result: () => list.existing(taskId) };
    });
  }

  async getTask(taskId: string): Promise<CodeTask | undefined> {
    return (await this.#records.read(taskId)).get(taskId);
  }

  async findReadyTasks(workflowId: string): Promise<readonly CodeTask[]> {
    return (await this.#records.read(workflowId)).ready(workflowId);
  }

  addDependency(taskId: string, dependency: string): Promise<void> {
    return this.#records.change(taskId, (list) => {
      list.checkDependency(taskId, dependency);
      const isKnown = list.existing(taskId).dependencies.includes(dependency);
      return { records: isKnown ? [] : [{ kind: "depends", id: taskId, dependency }], result: () => undefined };
    });
  }

  claimTask(taskId: string, executorId: string): Promise<boolean> {
    return this.#records.change(taskId, (list) => {
      const claimed: TaskRecord = { kind: "claimed", id: taskId, by: executorId, until: this.#now() + CLAIM_LEASE_MS };
      const answer = claimAnswer(list.existing(taskId), executorId, this.#now());
      return { records: answer === "claimed" ? [claimed] : [], result: () => answer !== "refused" };
    });
  }

  completeTask(taskId: string, result: CodeTaskResult): Promise<void> {
    return this.#end(taskId, "completed", { kind: "completed", id: taskId, result });
  }

  failTask(taskId: string, error: string): Promise<void> {
    return this.#end(taskId, "failed", { kind: "failed", id: taskId, error });
  }

  /** A completed task stays completed: a late report of a failure changes nothing. */
  #end(taskId: string, status: CodeTask["status"], record: TaskRecord): Promise<void> {
    return this.#records.change(taskId, (list) => {
      const before = list.existing(taskId).status;
      return { records: before === status || before === "completed" ? [] : [record], result: () => undefined };
    });
  }
}

/** `owned`: the claim is fresh, so nothing has to be written (K1). */
function claimAnswer(
  { status, claimedBy, claimedUntil = Number.POSITIVE_INFINITY }: CodeTask,
  executorId: string,
  now: number,
): "claimed" | "owned" | "refused" {
  if (status === "open") return "claimed";
  if (status === "completed") return "refused";
  const isOwner = claimedBy === executorId;
  if (status === "failed") return isOwner ? "claimed" : "refused";
  if (!isOwner) return claimedUntil <= now ? "claimed" : "refused";
  return claimedUntil - now > CLAIM_LEASE_MS - CLAIM_RENEWAL_MS / 2 ? "owned" : "claimed";
}
