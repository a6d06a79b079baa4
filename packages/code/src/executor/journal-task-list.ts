// The tasks of a workflow as its journal has them: the tasks of the template, which are steps from the beginning, and the
// tasks that were added by signals (`journal-records.ts`).
//
//   JL1. The status of a task whose session this engine has begun follows from its steps, and so does that of every task of
//        the template. The status of any other task follows from the records: another executor may work on it.
//   JL2. A change is kept only if it was made on the list that the changes before it gave. So of two processes that change
//        the list at the same time, one has to look again.
//   JL3. A task that was added too late for the last look never becomes a step, so the list does not have it.

import type { ExecutionSnapshot } from "@segno/kernel";
import type { CodeTask, CodeTaskResult } from "../model/task.ts";
import { toNewTask } from "../steps/backend-task.ts";
import type { CodeInput } from "../steps/step-values.ts";
import { MORE_TASKS } from "../template/compile-template.ts";
import { TaskList } from "../tasks/task-list.ts";
import { isTaskRecord, recordedTask, type TaskRecord } from "../tasks/task-record.ts";
import { trackingRecord } from "../tasks/tracking-record.ts";
import { taskStatus } from "./workflow-catalog.ts";

/** Records that were sent together, by the id of their signal. */
export interface SentChange {
  readonly id: string;
  readonly payload: unknown;
}

export interface JournalFacts {
  readonly workflowId: string;
  readonly input: CodeInput;
  readonly snapshot: Pick<ExecutionSnapshot, "status" | "steps">;
  /** The results of landed tasks, by the id of the task in its steps. */
  readonly results: ReadonlyMap<string, CodeTaskResult>;
  /** In the order of the journal. */
  readonly changes: readonly SentChange[];
  /** The executor that runs the workflow, as its claims name it. */
  readonly owner: string | undefined;
}

const SESSION_STEP = new RegExp(`^(?:${MORE_TASKS}/)*session-([^/]+)$`, "u");
const LOOK = new RegExp(`^(?:${MORE_TASKS}/)*${MORE_TASKS}$`, "u");

/** Whether a step looks for tasks that were added. */
export function isLook(step: string): boolean {
  return LOOK.test(step);
}

/** The steps of a task that is a step, by the id of the task in its steps. */
export function taskSteps(
  steps: Iterable<{ readonly name: string }>,
): ReadonlyMap<string, { readonly session: string; readonly merge: string }> {
  const found = new Map<string, { readonly session: string; readonly merge: string }>();
  for (const { name } of steps) {
    const id = SESSION_STEP.exec(name)?.[1];
    if (id !== undefined) found.set(id, { session: name, merge: name.replace(/session-[^/]+$/u, `merge-${id}`) });
  }
  return found;
}

export class JournalTaskList {
  readonly tasks: TaskList = new TaskList();
  /** The signals whose changes were kept (JL2). */
  readonly kept: Set<string> = new Set();
  /** Whether a step looks for new tasks now. It may or may not have seen the last changes. */
  readonly isLooking: boolean;
  readonly #facts: JournalFacts;
  readonly #statuses: ReadonlyMap<string, string>;
  /** The tasks that are steps, and the tracking record. */
  readonly #steps = new Set<string>();
  /** The steps that only this engine works on (JL1). */
  readonly #own = new Set<string>();
  readonly #added: string[] = [];
  /** Tasks that were added too late (JL3). */
  readonly #late: ReadonlySet<string>;

  private constructor(facts: JournalFacts, late: ReadonlySet<string>) {
    this.#facts = facts;
    this.#late = late;
    this.#statuses = new Map(facts.snapshot.steps.map(({ name, status }) => [name, status]));
    this.isLooking = facts.snapshot.steps.some(({ name, status }) => status === "running" && isLook(name));
    const own = this.#ownStatuses();
    this.#addTemplate();
    for (const change of facts.changes) this.#keep(change);
    for (const [id, records] of own) if (this.tasks.get(id) !== undefined) this.#applyAll(records);
  }

  static create(facts: JournalFacts): JournalTaskList {
    const list = new JournalTaskList(facts, new Set());
    if (list.isOpen) return list;
    const late = list.#added.filter((id) => !list.isStep(id) && list.tasks.get(id)?.status !== "completed");
    return late.length === 0 ? list : new JournalTaskList(facts, new Set(late));
  }

  /** Whether tasks can still be added (JL3). */
  get isOpen(): boolean {
    return this.#statuses.get(MORE_TASKS) !== "succeeded";
  }

  /** Whether the task is a step, whose texts and dependencies are in the journal. */
  isStep(id: string): boolean {
    return this.#steps.has(id);
  }

  isOwn(id: string): boolean {
    return this.#own.has(id);
  }

  #addTemplate(): void {
    const { workflowId, input, snapshot } = this.#facts;
    const backendId = (id: string): string => `${workflowId}-${id}`;
    const list = Object.values(input.tasks);
    for (const task of list) {
      const dependencies = task.dependsOn.map(backendId);
      this.tasks.apply({ kind: "created", task: { ...toNewTask(workflowId, task), dependencies } });
      this.#own.add(backendId(task.id));
    }
    const all = list.map(({ id }) => backendId(id));
    this.tasks.apply({ kind: "created", task: trackingRecord(workflowId, input.template, all) });
    this.#own.add(workflowId);
    for (const id of this.#own) this.#steps.add(id);
    this.#applyAll(this.#statusRecords(workflowId, recordStatus(snapshot.status), { success: true }));
  }

  /** The statuses of the engine's own tasks, as records by the id of the task (JL1). Marks the tasks that are steps. */
  #ownStatuses(): ReadonlyMap<string, readonly TaskRecord[]> {
    const { workflowId, snapshot, results, input } = this.#facts;
    const records = new Map<string, readonly TaskRecord[]>();
    for (const [local, { session, merge }] of taskSteps(snapshot.steps)) {
      const id = `${workflowId}-${local}`;
      const status = taskStatus(this.#statuses.get(session), this.#statuses.get(merge));
      this.#steps.add(id);
      const isOwn = Object.hasOwn(input.tasks, local) || this.#statuses.has(`${session}/claimed`);
      if (!isOwn && (status === "open" || status === "in_progress")) continue;
      this.#own.add(id);
      records.set(id, this.#statusRecords(id, status, results.get(local) ?? { success: true }));
    }
    return records;
  }

  #statusRecords(id: string, status: CodeTask["status"], result: CodeTaskResult): readonly TaskRecord[] {
    const claimed: TaskRecord = { kind: "claimed", id, by: this.#facts.owner ?? "" };
    switch (status) {
      case "open":
        return [];
      case "in_progress":
        return [claimed];
      case "completed":
        return [claimed, { kind: "completed", id, result }];
      case "failed":
        return [claimed, { kind: "failed", id, error: "the steps of the task have failed or were stopped" }];
    }
  }

  /** Signals come from outside, so a change that is not of the right form has no effect. */
  #keep({ id, payload }: SentChange): void {
    const { after, records } = (payload ?? {}) as { readonly after?: unknown; readonly records?: unknown };
    if (after !== this.kept.size || !Array.isArray(records) || !records.every(isTaskRecord)) return;
    if (!records.every((record) => this.#isPossible(record))) return;
    this.kept.add(id);
    for (const record of records) {
      if (record.kind === "created") this.#added.push(record.task.id);
      if (this.#hasEffect(record)) this.tasks.apply(record);
    }
  }

  #isPossible(record: TaskRecord): boolean {
    const { workflowId } = this.#facts;
    if (record.kind !== "created") return this.tasks.get(record.id) !== undefined || this.#late.has(record.id);
    return record.task.workflowId === workflowId && this.tasks.get(record.task.id) === undefined;
  }

  #hasEffect(record: TaskRecord): boolean {
    const id = recordedTask(record);
    if (this.#late.has(id)) return false;
    if (record.kind === "created" || !this.#own.has(id)) return true;
    return (record.kind === "updated" || record.kind === "depends") && this.#added.includes(id);
  }

  #applyAll(records: readonly TaskRecord[]): void {
    for (const record of records) this.tasks.apply(record);
  }
}

function recordStatus(status: string): CodeTask["status"] {
  if (status === "completed") return "completed";
  return status === "failed" || status === "cancelled" ? "failed" : "in_progress";
}
