// Changes of the tasks of a workflow, kept in its journal: each change is a signal to the execution, which no step consumes.
//
//   JR1. A change that another one overtook has no effect (JL2). It is made again on the new list.
//   JR2. A step that looks for new tasks may or may not have seen a change that arrives meanwhile. So the answer to a change
//        that must become part of a step waits until the look has ended: it is refused if it came too late.

import { randomUUID } from "node:crypto";
import type { Engine, ExecutionHandle } from "@segno/engine";
import { executionId, toSnapshot, type ExecutionSnapshot, type Json, type State } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import type { CodeTaskResult } from "../model/task.ts";
import type { MergeValue } from "../steps/step-values.ts";
import type { TaskChange, TaskRecords } from "../tasks/recorded-backend.ts";
import { TaskList } from "../tasks/task-list.ts";
import { recordedTask, type TaskRecord } from "../tasks/task-record.ts";
import { isTracking } from "../tasks/tracking-record.ts";
import { codeInputOf } from "./code-input.ts";
import { isLook, JournalTaskList, taskSteps, type SentChange } from "./journal-task-list.ts";
import { taskStatus } from "./workflow-catalog.ts";

/** The signal of a change. */
const CHANGE = "segno.tasks";

export interface FoundTasks {
  readonly handle: ExecutionHandle;
  /** The executor that runs the workflow. */
  readonly owner: string | undefined;
  readonly list: JournalTaskList;
}

export class JournalRecords implements TaskRecords {
  readonly #engine: () => Promise<Engine>;
  readonly #executorId: string | undefined;

  /** `executorId`: the executor of workflows whose input names none. */
  constructor(engine: () => Promise<Engine>, executorId: string | undefined) {
    this.#engine = engine;
    this.#executorId = executorId;
  }

  async change<Result>(taskId: string, work: (list: TaskList) => TaskChange<Result>): Promise<Result> {
    for (;;) {
      const found = await this.find(taskId);
      if (found === undefined) throw new CodeError("TASK_UNKNOWN", `there is no task or workflow \`${taskId}\``);
      const { records, result } = work(found.list.tasks);
      const changes = records.filter((record) => hasEffect(found.list, record));
      if (changes.length === 0) return result();
      for (const record of changes) assertPossible(found.list, record);
      if (!(await this.#send(found, changes))) continue;
      for (const record of changes) found.list.tasks.apply(record);
      return result();
    }
  }

  async read(taskId: string): Promise<TaskList> {
    return (await this.find(taskId))?.list.tasks ?? new TaskList();
  }

  /**
   * The tasks of the workflow that has this task, or that has this id. The id of a task begins with that of its workflow,
   * which may have hyphens itself.
   */
  async find(taskId: string): Promise<FoundTasks | undefined> {
    const parts = taskId.split("-");
    for (let count = parts.length; count > 0; count--) {
      const found = await this.#load(parts.slice(0, count).join("-"));
      if (found?.list.tasks.get(taskId) !== undefined) return found;
    }
    return undefined;
  }

  /** Whether the change was kept (JR1). */
  async #send({ handle, list }: FoundTasks, records: readonly TaskRecord[]): Promise<boolean> {
    const id = `${CHANGE}-${randomUUID()}`;
    const payload = { after: list.kept.size, records } as unknown as Json;
    const answer = await handle.signal(CHANGE, payload, { id });
    if (answer.kind === "ignored" || (answer.kind === "posted" && !(await isReceived(handle, id))))
      throw fixed(`the workflow ${handle.id} has ended`);
    const after = await this.#whenLooked(handle, records.some(isForSteps));
    if (!after.kept.has(id)) return false;
    for (const record of records) assertInTime(after, record);
    return true;
  }

  /** JR2. */
  async #whenLooked({ id }: ExecutionHandle, isNeeded: boolean): Promise<JournalTaskList> {
    for (;;) {
      const { handle, list } = (await this.#load(id))!;
      if (!isNeeded || !list.isLooking) return list;
      for await (const { kind, step } of handle.events())
        if (kind !== "step.started" && step !== undefined && isLook(step)) {
          const { list: later } = (await this.#load(id))!;
          if (!later.isLooking) return later;
        }
    }
  }

  async #load(workflowId: string): Promise<FoundTasks | undefined> {
    const engine = await this.#engine();
    const handle = await engine.get(workflowId).catch(ignoreUnknown);
    const state = handle && (await engine.extensions.states.read(executionId(workflowId)));
    if (handle === undefined || state === undefined) return undefined;
    const snapshot = toSnapshot(state);
    const [input, changes, results] = await Promise.all([
      codeInputOf({ state, readValues: (hashes) => engine.extensions.readValues(executionId(workflowId), hashes) }),
      readChanges(engine, workflowId, state),
      readResults(handle, snapshot),
    ]);
    if (input === undefined) return undefined;
    const owner = input.settings.executorId ?? this.#executorId;
    return { handle, owner, list: JournalTaskList.create({ workflowId, input, snapshot, results, changes, owner }) };
  }
}

/** The status of the engine's own tasks is in the journal already. */
function hasEffect(list: JournalTaskList, record: TaskRecord): boolean {
  const id = recordedTask(record);
  if (record.kind === "created" || !list.isOwn(id)) return true;
  if (record.kind === "depends") return true;
  return record.kind === "updated" && !isStatusOnly(list, record);
}

function isStatusOnly(list: JournalTaskList, { id, changes }: Extract<TaskRecord, { kind: "updated" }>): boolean {
  const task = list.tasks.existing(id);
  return Object.keys(changes).every((key) => key === "status" || (isTracking(task) && key === "context"));
}

/** Whether a record has to reach the look that makes steps of tasks. */
function isForSteps({ kind }: TaskRecord): boolean {
  return kind === "created" || kind === "updated" || kind === "depends";
}

function assertPossible(list: JournalTaskList, record: TaskRecord): void {
  if (record.kind === "created") {
    if (!list.isOpen) throw tooLate(record.task.id);
  } else if (record.kind === "depends" || (record.kind === "updated" && !isStatusOnly(list, record))) {
    if (list.isStep(record.id)) throw fixed(`\`${record.id}\` is a step of the workflow already`);
  }
}

function assertInTime(list: JournalTaskList, record: TaskRecord): void {
  if (record.kind !== "created") assertPossible(list, record);
  else if (list.tasks.get(record.task.id) === undefined) throw tooLate(record.task.id);
}

function tooLate(id: string): CodeError {
  return fixed(`the workflow takes no further tasks, so \`${id}\` would never run`);
}

function fixed(reason: string): CodeError {
  return new CodeError("TASKS_FIXED", `the tasks cannot be changed so: ${reason}`);
}

/** The process that owns the journal takes a change that another process has posted, unless the workflow ends before. */
async function isReceived(handle: ExecutionHandle, id: string): Promise<boolean> {
  for await (const { event } of handle.events()) if (event.kind === "signal.received" && event.id === id) return true;
  return false;
}

async function readChanges(engine: Engine, workflowId: string, { signals }: State): Promise<readonly SentChange[]> {
  const sent = [...signals.pending].filter(([, { name }]) => name === CHANGE);
  const hashes = sent.flatMap(([, { payload }]) => (payload.kind === "stored" ? [payload.hash] : []));
  const stored = hashes.length === 0 ? undefined : await engine.extensions.readValues(executionId(workflowId), hashes);
  return sent.map(([id, { payload }]) => ({
    id,
    payload:
      payload.kind === "inline" ? payload.json : payload.kind === "stored" ? stored?.get(payload.hash) : undefined,
  }));
}

/** The results of landed tasks. */
async function readResults(
  handle: ExecutionHandle,
  { steps }: Pick<ExecutionSnapshot, "steps">,
): Promise<ReadonlyMap<string, CodeTaskResult>> {
  const statuses = new Map(steps.map(({ name, status }) => [name, status]));
  const landed = [...taskSteps(steps)].filter(
    ([, { session, merge }]) => taskStatus(statuses.get(session), statuses.get(merge)) === "completed",
  );
  const results = landed.map(async ([id, { merge }]) => [id, await readResult(handle, merge)] as const);
  return new Map(
    (await Promise.all(results)).flatMap(([id, result]) => (result === undefined ? [] : [[id, result] as const])),
  );
}

async function readResult(handle: ExecutionHandle, merge: string): Promise<CodeTaskResult | undefined> {
  const value = (await handle.output(merge)) as unknown as MergeValue | undefined;
  if (value?.kind !== "landed") return undefined;
  const { summary } = value.artefact;
  return { success: true, commit: value.commit, ...(summary === undefined ? {} : { summary }) };
}

function ignoreUnknown(error: unknown): undefined {
  const { code } = error as { readonly code?: string };
  if (code === "EXECUTION_UNKNOWN" || code === "NAME_INVALID") return undefined;
  throw error;
}
