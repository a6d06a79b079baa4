// Tells a task backend how tasks and workflows end, and renews the claims of tasks that have not ended (CODE-1).
//
//   TR1. Every end is written at least once. The steps write landings and lasting failures themselves; everything else is
//        written here, such as timeouts, cancellations and refused escalations. It is read from the journal, so the next
//        process writes what a crash has kept back.
//   TR2. A task belongs to its executor from the first session to its end, also while it waits for a person or is paused.
//        An executor that has ended renews nothing, so its claims expire (K4).
//   TR3. Only tasks of this executor are written: another one may work on other tasks of the same workflow.
//   TR4. A backend that fails does not disturb the workflow. What it did not take is written at the next renewal.

import type { Engine, ExecutionHandle, ExecutionReport, ListedExecution } from "@segno/engine";
import { readCodeInput } from "./code-input.ts";
import { backendTaskId } from "../steps/backend-task.ts";
import type { ClaimWatch, WatchedClaim } from "../steps/step-runtime.ts";
import type { MergeValue } from "../steps/step-values.ts";
import { CLAIM_RENEWAL_MS } from "../tasks/claim-lease.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { isTracking } from "../tasks/tracking-record.ts";
import { begunTasks, endReason, hasEnded, type BegunTask } from "./task-ends.ts";

export interface TaskReportsOptions {
  /** The owner of the claims of executions that do not name another one. */
  readonly executorId: string;
  readonly renewalMs?: number | undefined;
}

const KINDS = [
  "step.started",
  "step.failed",
  "execution.reopened",
  "execution.completed",
  "execution.failed",
  "execution.cancelled",
] as const;

interface Workflow {
  readonly handle: ExecutionHandle;
  readonly owner: string;
}

export class TaskReports implements ClaimWatch {
  readonly #engine: Engine;
  readonly #backend: TaskBackend;
  readonly #executorId: string;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  /** The executions that have not ended; undefined for one that is not a code workflow. */
  readonly #workflows = new Map<string, Promise<Workflow | undefined>>();
  /** The last report of each execution: they are written one after the other. */
  readonly #reports = new Map<string, Promise<void>>();
  readonly #watched = new Map<string, AbortController>();
  readonly #catchingUp: Promise<void>;
  #isClosed = false;

  constructor(engine: Engine, backend: TaskBackend, { executorId, renewalMs = CLAIM_RENEWAL_MS }: TaskReportsOptions) {
    this.#engine = engine;
    this.#backend = backend;
    this.#executorId = executorId;
    this.#unsubscribe = engine.subscribe({ kinds: KINDS }, ({ events }) => {
      for (const { kind, executionId } of events)
        if (kind !== "step.started") void this.report(executionId);
        else void this.#find(executionId);
    });
    this.#timer = setInterval(() => this.#renew(), renewalMs).unref();
    this.#catchingUp = this.#catchUp().catch(() => undefined);
  }

  /** Writes what the journal says about an execution now. Resolves when the backend has it. */
  report(executionId: string): Promise<void> {
    const before = this.#reports.get(executionId) ?? Promise.resolve();
    const report = before.then(() => this.#report(executionId)).catch(() => undefined);
    this.#reports.set(executionId, report);
    void report.then(() => {
      if (this.#reports.get(executionId) === report) this.#reports.delete(executionId);
    });
    return report;
  }

  /** A claim whose signal aborts when another executor has got the task. */
  watch(taskId: string): WatchedClaim {
    const controller = new AbortController();
    this.#watched.set(taskId, controller);
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        if (this.#watched.get(taskId) === controller) this.#watched.delete(taskId);
      },
    };
  }

  /** Waits for the reports under way, then writes nothing any more. Call it before the engine is closed. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#timer);
    await Promise.all(this.#reports.values());
    this.#isClosed = true;
    await this.#catchingUp;
  }

  #renew(): void {
    for (const executionId of this.#workflows.keys()) void this.report(executionId);
  }

  /** TR1. */
  async #catchUp(): Promise<void> {
    for (let cursor: string | undefined; ;) {
      const page = await this.#engine.list({}, cursor);
      for (const execution of page.executions) if (await this.#isUnreported(execution)) await this.report(execution.id);
      cursor = page.cursor;
      if (cursor === undefined || this.#isClosed) return;
    }
  }

  async #isUnreported({ id, status }: ListedExecution): Promise<boolean> {
    if (this.#isClosed) return false;
    const record = await this.#backend.getTask(id);
    if (record === undefined || !isTracking(record) || record.status === "completed") return false;
    return record.status !== "failed" || (status !== "failed" && status !== "cancelled");
  }

  async #report(executionId: string): Promise<void> {
    if (this.#isClosed) return;
    const workflow = await this.#find(executionId);
    if (workflow === undefined) return;
    const report = await workflow.handle.status();
    for (const task of begunTasks(report)) await this.#reportTask(workflow, task);
    await this.#reportWorkflow(workflow, report);
    if (hasEnded(report)) this.#workflows.delete(executionId);
  }

  async #reportTask(
    { handle: { id: workflowId }, owner }: Workflow,
    { taskId, kind, error }: BegunTask,
  ): Promise<void> {
    if (kind === "landed") return;
    const id = await this.#backendId(workflowId, taskId);
    if (id === undefined) return;
    if (kind === "working") {
      if (!(await this.#backend.claimTask(id, owner))) this.#watched.get(id)?.abort(new Error("the claim was lost"));
      return;
    }
    const { status, claimedBy = owner } = (await this.#backend.getTask(id)) ?? {};
    if (status === "in_progress" && claimedBy === owner) await this.#backend.failTask(id, error ?? "");
  }

  /** The tracking record follows the execution. One that was retried is in progress again. */
  async #reportWorkflow({ handle }: Workflow, report: ExecutionReport): Promise<void> {
    const record = await this.#backend.getTask(handle.id);
    if (record === undefined || !isTracking(record) || record.status === "completed") return;
    if (report.status === "completed") {
      const landed = (await handle.output("land")) as unknown as MergeValue | undefined;
      const commit = landed?.kind === "landed" ? { commit: landed.commit } : {};
      await this.#backend.completeTask(handle.id, { success: true, ...commit });
    } else if (hasEnded(report)) {
      if (record.status !== "failed") await this.#backend.failTask(handle.id, endReason(report));
    } else if (record.status === "failed") await this.#backend.updateTask(handle.id, { status: "in_progress" });
  }

  /** Tasks that appeared in the backend may have an id without the workflow. */
  async #backendId(workflowId: string, taskId: string): Promise<string | undefined> {
    for (const id of [backendTaskId(workflowId, { id: taskId }), taskId])
      if ((await this.#backend.getTask(id))?.workflowId === workflowId) return id;
    return undefined;
  }

  #find(executionId: string): Promise<Workflow | undefined> {
    const known = this.#workflows.get(executionId);
    if (known !== undefined) return known;
    const found = this.#read(executionId);
    this.#workflows.set(executionId, found);
    // An execution that cannot be read now is looked at again with its next event.
    found.then(
      (workflow) => workflow ?? this.#workflows.delete(executionId),
      () => this.#workflows.delete(executionId),
    );
    return found;
  }

  async #read(executionId: string): Promise<Workflow | undefined> {
    const input = await readCodeInput(this.#engine, executionId);
    if (input === undefined) return undefined;
    const handle = await this.#engine.get(executionId);
    return { handle, owner: input.settings.executorId ?? this.#executorId };
  }
}
