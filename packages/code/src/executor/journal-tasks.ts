// The engine's own store as a task backend: the tasks of a workflow are the steps of its execution.
//
//   JT1. The journal decides. A write that says what the journal says is accepted and changes nothing; any other write is
//        refused (TASKS_FIXED), because it would be lost.
//   JT2. A claim needs no record: only the owner of the store runs a step, and runs it once (LEASE).

import type { Engine, ExecutionHandle } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import type { CodeTask, CodeTaskResult, NewTask, TaskChanges } from "../model/task.ts";
import { toCodeTask } from "../steps/backend-task.ts";
import type { CodeInput, MergeValue } from "../steps/step-values.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { isTracking, trackingRecord } from "../tasks/tracking-record.ts";
import { readCodeInput } from "./code-input.ts";
import { taskStatus } from "./workflow-catalog.ts";

export class JournalTasks implements TaskBackend {
  readonly #engine: () => Promise<Engine>;

  constructor(engine: Engine | (() => Promise<Engine>)) {
    this.#engine = typeof engine === "function" ? engine : async () => engine;
  }

  async createTask(task: NewTask): Promise<CodeTask> {
    const existing = await this.getTask(task.id);
    if (existing === undefined) throw fixed(`the task \`${task.id}\` cannot be added`);
    return existing;
  }

  /** The status follows from the journal, so only a change of the status is accepted. */
  async updateTask(taskId: string, changes: TaskChanges): Promise<CodeTask> {
    const task = await this.#existing(taskId);
    if (Object.keys(changes).some((key) => key !== "status" && !(isTracking(task) && key === "context")))
      throw fixed(`the task \`${taskId}\` cannot be changed`);
    return task;
  }

  async getTask(taskId: string): Promise<CodeTask | undefined> {
    const found = await this.#find(taskId);
    return found?.tasks.find(({ id }) => id === taskId);
  }

  async findReadyTasks(workflowId: string): Promise<readonly CodeTask[]> {
    const { tasks = [] } = (await this.#read(workflowId)) ?? {};
    const done = new Set(tasks.filter(({ status }) => status === "completed").map(({ id }) => id));
    return tasks.filter(
      (task) => !isTracking(task) && task.status === "open" && task.dependencies.every((id) => done.has(id)),
    );
  }

  async addDependency(taskId: string, dependency: string): Promise<void> {
    const { dependencies } = await this.#existing(taskId);
    if (!dependencies.includes(dependency)) throw fixed(`\`${taskId}\` cannot be made to wait for \`${dependency}\``);
  }

  async claimTask(taskId: string, _executorId: string): Promise<boolean> {
    return (await this.#existing(taskId)).status !== "completed";
  }

  async completeTask(taskId: string, _result: CodeTaskResult): Promise<void> {
    await this.#existing(taskId);
  }

  async failTask(taskId: string, _error: string): Promise<void> {
    await this.#existing(taskId);
  }

  async #existing(taskId: string): Promise<CodeTask> {
    const task = await this.getTask(taskId);
    if (task === undefined) throw new CodeError("TASK_UNKNOWN", `there is no task \`${taskId}\``);
    return task;
  }

  /** The workflow of a task. Its id begins with that of the workflow, which may have hyphens itself. */
  async #find(taskId: string): Promise<WorkflowTasks | undefined> {
    const parts = taskId.split("-");
    for (let count = parts.length; count > 0; count--) {
      const found = await this.#read(parts.slice(0, count).join("-"));
      if (found?.tasks.some(({ id }) => id === taskId) === true) return found;
    }
    return undefined;
  }

  async #read(workflowId: string): Promise<WorkflowTasks | undefined> {
    const engine = await this.#engine();
    const handle = await engine.get(workflowId).catch(ignoreUnknown);
    const input = handle && (await readCodeInput(engine, workflowId));
    if (handle === undefined || input === undefined) return undefined;
    return { tasks: await journalTasks(handle, input) };
  }
}

interface WorkflowTasks {
  readonly tasks: readonly CodeTask[];
}

function ignoreUnknown(error: unknown): undefined {
  const { code } = error as { readonly code?: string };
  if (code === "EXECUTION_UNKNOWN" || code === "NAME_INVALID") return undefined;
  throw error;
}

/** The tasks and the tracking record of a workflow, as its journal has them. */
async function journalTasks(handle: ExecutionHandle, { tasks, template }: CodeInput): Promise<readonly CodeTask[]> {
  const { id: workflowId } = handle;
  const { steps, status } = await handle.status();
  const statuses = new Map(steps.map((step) => [step.name, step.status]));
  const list = Object.values(tasks);
  const backendId = (id: string): string => `${workflowId}-${id}`;
  const made = list.map(async (task): Promise<CodeTask> => {
    const state = taskStatus(statuses.get(`session-${task.id}`), statuses.get(`merge-${task.id}`));
    const code = toCodeTask(workflowId, task, list);
    const { dependencies, blockedTasks } = code;
    const result = state === "completed" ? await resultOf(handle, task.id) : undefined;
    return {
      ...code,
      id: backendId(task.id),
      dependencies: dependencies.map(backendId),
      blockedTasks: [...blockedTasks.map(backendId), workflowId],
      status: state,
      ...(result === undefined ? {} : { result }),
    };
  });
  const all = await Promise.all(made);
  const record = trackingRecord(
    workflowId,
    template,
    all.map(({ id }) => id),
  );
  return [...all, { ...toCodeTask(workflowId, NO_TASK), ...record, status: recordStatus(status) }];
}

const NO_TASK = {
  id: "",
  title: "",
  instructions: "",
  acceptanceCriteria: [],
  dependsOn: [],
  context: {},
  priority: 0,
  type: "workflow",
  touches: [],
  exclusive: false,
};

function recordStatus(status: string): CodeTask["status"] {
  if (status === "completed") return "completed";
  return status === "failed" || status === "cancelled" ? "failed" : "in_progress";
}

async function resultOf(handle: ExecutionHandle, task: string): Promise<CodeTaskResult | undefined> {
  const value = (await handle.output(`merge-${task}`)) as unknown as MergeValue | undefined;
  if (value?.kind !== "landed") return undefined;
  const { summary } = value.artefact;
  return { success: true, commit: value.commit, ...(summary === undefined ? {} : { summary }) };
}

function fixed(what: string): CodeError {
  return new CodeError(
    "TASKS_FIXED",
    `${what}: the tasks of a workflow are fixed when it starts; use another task backend to add some later`,
  );
}
