// The port to the place where tasks are kept. Each interface has at most seven operations; an adapter implements both.
//
//   K1. Operations are idempotent: the same call again changes nothing and gives the same answer. After a crash, Segno
//       repeats the last call.
//   K2. A claim is atomic across processes: of two executors, one gets the task. The owner of a claim may ask again.
//   K3. A dependency that would close a cycle is refused (TASK_CYCLE).
//   K4. A claim expires unless its owner asks again within `CLAIM_LEASE_MS`: the executor has ended then, and another one
//       gets the task. Segno asks every `CLAIM_RENEWAL_MS`, from the claim to the end of the task.
//   K5. A task that is a step of a workflow keeps the texts and dependencies that it had then. The engine's own store refuses
//       to change them, and refuses tasks that come too late to become steps (TASKS_FIXED). A backend that does not know the
//       steps accepts such changes, and they have no effect on the workflow.

import type { NewTask, CodeTask, TaskChanges, CodeTaskResult } from "../model/task.ts";

/** The part of a task backend that keeps the tasks. */
export interface Tasks {
  /** Creates a task, or returns the task that has this id. */
  createTask(task: NewTask): Promise<CodeTask>;
  /** Changes fields of a task and returns it. */
  updateTask(taskId: string, changes: TaskChanges): Promise<CodeTask>;
  /** A task by its id; undefined if there is none. */
  getTask(taskId: string): Promise<CodeTask | undefined>;
  /** The open tasks of a workflow whose dependencies are completed, in the order of their creation. */
  findReadyTasks(workflowId: string): Promise<readonly CodeTask[]>;
  /** Makes a task wait for another one. */
  addDependency(taskId: string, dependency: string): Promise<void>;
}

/** The part of a task backend that records who works on a task. */
export interface Claims {
  /** Whether this executor owns the task now. The owner asks again to renew its claim (K4). */
  claimTask(taskId: string, executorId: string): Promise<boolean>;
  /** Records that a task is done. */
  completeTask(taskId: string, result: CodeTaskResult): Promise<void>;
  /** Records that a task has failed. */
  failTask(taskId: string, error: string): Promise<void>;
}

/** Keeps the tasks of code workflows. */
export interface TaskBackend extends Tasks, Claims {}
