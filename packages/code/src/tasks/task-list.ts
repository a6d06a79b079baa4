// The tasks in memory, and the rules that every task backend of ours follows. Each change is a record, so that a backend
// can keep the records and build the list again.

import { CodeError } from "../errors/code-error.ts";
import type { NewTask, CodeTask } from "../model/task.ts";
import type { TaskRecord } from "./task-record.ts";

type TaskEntry = Omit<CodeTask, "blockedTasks">;

export class TaskList {
  readonly #tasks = new Map<string, TaskEntry>();

  get(id: string): CodeTask | undefined {
    const entry = this.#tasks.get(id);
    return entry === undefined ? undefined : this.#toTask(entry);
  }

  /** Throws unless the task exists. */
  existing(id: string): CodeTask {
    const task = this.get(id);
    if (task === undefined) throw new CodeError("TASK_UNKNOWN", `there is no task \`${id}\``);
    return task;
  }

  ready(workflowId: string): readonly CodeTask[] {
    return [...this.#tasks.values()]
      .filter((entry) => entry.workflowId === workflowId && entry.status === "open")
      .filter(({ dependencies }) => dependencies.every((id) => this.#tasks.get(id)?.status === "completed"))
      .map((entry) => this.#toTask(entry));
  }

  /** Throws if the task would wait for itself, directly or through others (K3). */
  checkDependency(id: string, dependency: string): void {
    this.existing(id);
    this.existing(dependency);
    this.#refuseCycle(id, dependency);
  }

  /** Tasks that wait for a task may be created before it, so a new task can close a cycle too. */
  checkNew({ id, dependencies = [] }: NewTask): void {
    for (const dependency of dependencies) this.#refuseCycle(id, dependency);
  }

  #refuseCycle(id: string, dependency: string): void {
    const path = this.#pathTo(dependency, id);
    if (path !== undefined)
      throw new CodeError("TASK_CYCLE", `the tasks would wait for each other: ${[id, ...path].join(" -> ")}`);
  }

  apply(record: TaskRecord): void {
    if (record.kind === "created") return void this.#tasks.set(record.task.id, toEntry(record.task));
    const entry = this.#tasks.get(record.id);
    if (entry === undefined) throw new CodeError("TASK_UNKNOWN", `there is no task \`${record.id}\``);
    this.#tasks.set(record.id, changed(entry, record));
  }

  /** The dependencies from one task to another; undefined if there is no way. */
  #pathTo(from: string, to: string): readonly string[] | undefined {
    const before = new Map<string, string | undefined>([[from, undefined]]);
    for (const id of before.keys()) {
      if (id === to) return trace(before, to);
      for (const next of this.#tasks.get(id)?.dependencies ?? []) if (!before.has(next)) before.set(next, id);
    }
    return undefined;
  }

  #toTask(entry: TaskEntry): CodeTask {
    const waiting = [...this.#tasks.values()].filter(({ dependencies }) => dependencies.includes(entry.id));
    return { ...entry, blockedTasks: waiting.map(({ id }) => id) };
  }
}

function trace(before: ReadonlyMap<string, string | undefined>, to: string): readonly string[] {
  const path: string[] = [];
  for (let id: string | undefined = to; id !== undefined; id = before.get(id)) path.unshift(id);
  return path;
}

function toEntry(task: NewTask): TaskEntry {
  const defaults = { title: task.id, instructions: "", acceptanceCriteria: [], type: "task", priority: 0, context: {} };
  return { ...defaults, dependencies: [], ...task, status: "open" };
}

function changed(entry: TaskEntry, record: Exclude<TaskRecord, { kind: "created" }>): TaskEntry {
  switch (record.kind) {
    case "updated":
      return { ...entry, ...record.changes };
    case "depends":
      return { ...entry, dependencies: [...new Set([...entry.dependencies, record.dependency])] };
    case "claimed":
      return claimed(entry, record);
    case "completed":
      return { ...entry, status: "completed", result: record.result };
    case "failed":
      return { ...entry, status: "failed", error: record.error };
  }
}

function claimed(entry: TaskEntry, { by, until }: Extract<TaskRecord, { kind: "claimed" }>): TaskEntry {
  const { claimedUntil, ...rest } = entry;
  const unclaimed = claimedUntil === undefined ? entry : rest;
  const lease = until === undefined ? {} : { claimedUntil: until };
  return { ...unclaimed, status: "in_progress", claimedBy: by, ...lease };
}
