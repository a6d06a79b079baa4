// The changes of tasks, as a backend keeps them.

import type { NewTask, TaskChanges, CodeTaskResult } from "../model/task.ts";

/** A change of the tasks, as a backend keeps it. */
export type TaskRecord =
  | { readonly kind: "created"; readonly task: NewTask }
  | { readonly kind: "updated"; readonly id: string; readonly changes: TaskChanges }
  | { readonly kind: "depends"; readonly id: string; readonly dependency: string }
  /** Without `until`, the claim does not expire. */
  | { readonly kind: "claimed"; readonly id: string; readonly by: string; readonly until?: number }
  | { readonly kind: "completed"; readonly id: string; readonly result: CodeTaskResult }
  | { readonly kind: "failed"; readonly id: string; readonly error: string };

const KINDS: ReadonlySet<unknown> = new Set<TaskRecord["kind"]>([
  "created",
  "updated",
  "depends",
  "claimed",
  "completed",
  "failed",
]);

/** Others can write where records are kept, so a record is recognised by its kind and the id of its task. */
export function isTaskRecord(value: unknown): value is TaskRecord {
  const { kind, id, task } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!KINDS.has(kind)) return false;
  return typeof (kind === "created" ? (task as { readonly id?: unknown } | undefined)?.id : id) === "string";
}

/** The id of the task that a record is about. */
export function recordedTask(record: TaskRecord): string {
  return record.kind === "created" ? record.task.id : record.id;
}
