// The engine's own store as a task backend: the tasks of a workflow are in the journal of its execution.
//
//   JT1. The journal decides. A task that is added becomes a step when the tasks before it have landed, as with any other
//        backend. Until then it can be changed, and another executor can claim it.
//   JT2. A task that is a step keeps its texts and its dependencies, because they are the definition and the input of that
//        step: a change is refused (TASKS_FIXED). Its status follows from the journal, so a write of the status is accepted
//        and changes nothing.
//   JT3. The engine's own tasks belong to the executor that runs the workflow, for as long as the workflow exists: only the
//        owner of the store runs a step, and runs it once (LEASE). No one else gets them.
//   JT4. The id of an added task begins with the id of its workflow and a hyphen, and its dependencies are tasks of the same
//        workflow: each workflow has a journal of its own.

import type { Engine } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import type { CodeTask, NewTask } from "../model/task.ts";
import { localTaskId } from "../steps/backend-task.ts";
import { RecordedBackend, type RecordedBackendOptions } from "../tasks/recorded-backend.ts";
import { JournalRecords } from "./journal-records.ts";

/** Options of `JournalTasks`. */
export interface JournalTasksOptions extends RecordedBackendOptions {
  /** The executor that runs workflows whose input does not name one (JT3). */
  readonly executorId?: string;
}

/** Keeps tasks in the engine's own store: the tasks of a workflow are in the journal of its execution. */
export class JournalTasks extends RecordedBackend {
  readonly #records: JournalRecords;

  constructor(engine: Engine | (() => Promise<Engine>), options: JournalTasksOptions = {}) {
    const records = new JournalRecords(typeof engine === "function" ? engine : async () => engine, options.executorId);
    super(records, options);
    this.#records = records;
  }

  override async createTask(task: NewTask): Promise<CodeTask> {
    const existing = await this.getTask(task.id);
    if (existing !== undefined) return existing;
    checkId(task);
    return await super.createTask(task);
  }

  /** A task of the engine itself belongs to the executor that runs its workflow; no other executor gets it (JT3). */
  override async claimTask(taskId: string, executorId: string): Promise<boolean> {
    const found = await this.#records.find(taskId);
    if (found?.list.isOwn(taskId) !== true) return await super.claimTask(taskId, executorId);
    return executorId === found.owner && found.list.tasks.existing(taskId).status !== "completed";
  }
}

/** JT4. */
function checkId({ id, workflowId }: NewTask): void {
  if (!id.startsWith(`${workflowId}-`))
    throw new CodeError(
      "TASK_ID_INVALID",
      `the id \`${id}\` must begin with \`${workflowId}-\`, the id of its workflow`,
    );
  localTaskId(workflowId, id);
}
