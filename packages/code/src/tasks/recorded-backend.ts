// A task backend over a list of records. How the records are kept is left to `TaskRecords`: in memory or in a file.

import type { TaskBackend } from "./task-backend.ts";
import { TaskList, type TaskRecord } from "./task-list.ts";
import type { NewTask, CodeTask, TaskChanges, CodeTaskResult } from "../model/task.ts";

export interface TaskRecords {
  /**
   * Runs `work` on the current list while no other process changes it, and keeps the records that it returns before the
   * promise resolves.
   */
  change<Result>(work: (list: TaskList) => TaskChange<Result>): Promise<Result>;
  read(): Promise<TaskList>;
}

export interface TaskChange<Result> {
  readonly records: readonly TaskRecord[];
  /** Computed after the records were applied. */
  readonly result: () => Result;
}

export class RecordedBackend implements TaskBackend {
  readonly #records: TaskRecords;

  constructor(records: TaskRecords) {
    this.#records = records;
  }

  createTask(task: NewTask): Promise<CodeTask> {
    return this.#records.change((list) => {
      const isNew = list.get(task.id) === undefined;
      if (isNew) list.checkNew(task);
      return { records: isNew ? [{ kind: "created", task }] : [], result: () => list.existing(task.id) };
    });
  }

  updateTask(taskId: string, changes: TaskChanges): Promise<CodeTask> {
    return this.#records.change((list) => {
      list.existing(taskId);
      return { records: [{ kind: "updated", id: taskId, changes }], result: () => list.existing(taskId) };
    });
  }

  async getTask(taskId: string): Promise<CodeTask | undefined> {
    return (await this.#records.read()).get(taskId);
  }

  async findReadyTasks(workflowId: string): Promise<readonly CodeTask[]> {
    return (await this.#records.read()).ready(workflowId);
  }

  addDependency(taskId: string, dependency: string): Promise<void> {
    return this.#records.change((list) => {
      list.checkDependency(taskId, dependency);
      const isKnown = list.existing(taskId).dependencies.includes(dependency);
      return { records: isKnown ? [] : [{ kind: "depends", id: taskId, dependency }], result: () => undefined };
    });
  }

  claimTask(taskId: string, executorId: string): Promise<boolean> {
    return this.#records.change((list) => {
      const { status, claimedBy } = list.existing(taskId);
      const isFree = status === "open" || (status === "failed" && claimedBy === executorId);
      const isOwner = status === "in_progress" && claimedBy === executorId;
      const records: readonly TaskRecord[] = isFree ? [{ kind: "claimed", id: taskId, by: executorId }] : [];
      return { records, result: () => isFree || isOwner };
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
    return this.#records.change((list) => {
      const before = list.existing(taskId).status;
      return { records: before === status || before === "completed" ? [] : [record], result: () => undefined };
    });
  }
}
