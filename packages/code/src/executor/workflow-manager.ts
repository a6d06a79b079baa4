// The life of a workflow: it is initialised, paused, resumed, cancelled, completed and cleaned up (CODE-10, CODE-14).
//
//   WM1. With a control, the engine does all of it and the manager only commands. Events then come from the journal.
//   WM2. Without one, a program runs the tasks itself. The state of the workflow is in its tracking record, and the
//        manager publishes the events.

import { CodeError } from "../errors/code-error.ts";
import type { EventPort, CodeEvent } from "../events/event-port.ts";
import { workflowBranch } from "../git/branch-names.ts";
import type { WorkflowMergePolicy, WorkflowMergeRequest } from "../merging/merge-policies.ts";
import { EventType } from "../model/event-type.ts";
import type { MergeResult } from "../model/merge-result.ts";
import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext, WorkflowState, WorkflowStatus } from "../model/workflow-context.ts";
import { initializeWorkflow, type WorkflowPlan } from "../steps/initialize-workflow.ts";
import { landingMarker, mergeId } from "../steps/merge-step.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { isTracking } from "../tasks/tracking-record.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { WorkflowControl } from "./workflow-control.ts";

/** The collaborators of a `WorkflowManager`. */
export interface WorkflowManagerPorts {
  readonly taskBackend: TaskBackend;
  readonly vcsPort: Vcs;
  readonly workflowMergePolicy: WorkflowMergePolicy;
  readonly eventPort: EventPort;
}

const NO_PLAN: Omit<WorkflowPlan, "baseBranch"> = { template: "", parameters: {}, tasks: {} };

/** Creates the branch and the records of a workflow, and lands its work on the base branch. */
export class WorkflowManager {
  readonly #ports: WorkflowManagerPorts;
  readonly #control: WorkflowControl | undefined;

  constructor(ports: WorkflowManagerPorts, control?: WorkflowControl) {
    this.#ports = ports;
    this.#control = control;
  }

  /** Checks the workflow, creates its branch, writes its records and publishes `workflow.started`. May be repeated. */
  async initializeWorkflow(
    workflowId: string,
    baseBranch: string,
    plan: Omit<WorkflowPlan, "baseBranch"> = NO_PLAN,
  ): Promise<WorkflowContext> {
    return await initializeWorkflow(workflowId, { ...plan, baseBranch }, this.#ports, async (context) => {
      await this.#ports.taskBackend.updateTask(workflowId, { context: { state: "running", baseBranch, changes: 0 } });
      await this.#publish(context.workflowId, EventType.WorkflowStarted, 0);
    });
  }

  /** The current state of a workflow, with counts of its tasks. */
  async getWorkflowStatus(workflowId: string): Promise<WorkflowStatus> {
    if (this.#control !== undefined) return await this.#control.status(workflowId);
    const record = await this.#record(workflowId);
    const tasks = await this.#tasks(record);
    const error = record.context["error"];
    return {
      workflowId,
      state: stateOf(record),
      tasksDone: tasks.filter((task) => task?.status === "completed").length,
      tasksAll: tasks.length,
      activeSessions: tasks.filter((task) => task?.status === "in_progress").length,
      ...(typeof error === "string" ? { error } : {}),
    };
  }

  /** Pauses a workflow. */
  async pauseWorkflow(workflowId: string): Promise<void> {
    if (this.#control !== undefined) await this.#control.pause(workflowId);
    else await this.#change(workflowId, ["running"], "paused");
  }

  /** Continues a paused workflow. */
  async resumeWorkflow(workflowId: string): Promise<void> {
    if (this.#control !== undefined) await this.#control.resume(workflowId);
    else await this.#change(workflowId, ["paused"], "running");
  }

  /** Cancels a workflow. */
  async cancelWorkflow(workflowId: string, reason = "cancelled"): Promise<void> {
    if (this.#control !== undefined) await this.#control.cancel(workflowId, reason);
    else await this.#change(workflowId, ["running", "paused"], "cancelled", reason);
  }

  /** Lands the workflow branch on its base branch. */
  async completeWorkflow(workflowId: string): Promise<MergeResult> {
    if (this.#control !== undefined) return await this.#control.complete(workflowId);
    const record = await this.#record(workflowId);
    const open = (await this.#tasks(record)).find((task) => task?.status !== "completed");
    if (open !== undefined)
      throw new CodeError(
        "WORKFLOW_UNFINISHED",
        `the task \`${open.id}\` of the workflow ${workflowId} has not landed`,
      );
    const request = await this.#mergeRequest(record);
    const { workflowMergePolicy, taskBackend } = this.#ports;
    const result = await workflowMergePolicy.mergeWorkflow(request);
    if (result.success) {
      await this.#change(workflowId, ["running", "paused"], "completed");
      await taskBackend.completeTask(workflowId, {
        success: true,
        ...(result.commit === undefined ? {} : { commit: result.commit }),
      });
    } else if (result.waitingFor === undefined) await workflowMergePolicy.handleMergeFailure(request.mergeId, result);
    return result;
  }

  /** Deletes the branch of a workflow that has landed. A branch that has not landed is refused. */
  async cleanupWorkflow(workflowId: string): Promise<void> {
    const { vcsPort } = this.#ports;
    const branch = workflowBranch(workflowId);
    const { head } = await vcsPort.getBranchStatus(branch);
    if (head !== undefined) await vcsPort.deleteBranch(branch, head, landingMarker({ workflow: { workflowId } }));
  }

  async #mergeRequest({ id: workflowId, title, context }: CodeTask): Promise<WorkflowMergeRequest> {
    const { vcsPort } = this.#ports;
    const sourceBranch = workflowBranch(workflowId);
    const { head } = await vcsPort.getBranchStatus(sourceBranch);
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${sourceBranch}\` does not exist`);
    const name = title === "" ? workflowId : title;
    return {
      mergeId: mergeId({ workflow: { workflowId } }),
      workflowId,
      vcs: vcsPort,
      marker: landingMarker({ workflow: { workflowId } }),
      sourceBranch,
      sourceHead: head,
      targetBranch: context["baseBranch"] as string,
      title: `Workflow ${name}`,
      message: `Workflow ${name}\n\nSegno-Execution: ${workflowId}\n`,
      atMs: Date.now(),
      isApproved: false,
      signal: new AbortController().signal,
    };
  }

  async #record(workflowId: string): Promise<CodeTask> {
    const record = await this.#ports.taskBackend.getTask(workflowId);
    if (record === undefined || !isTracking(record))
      throw new CodeError("TASK_UNKNOWN", `the workflow ${workflowId} was not initialised`);
    return record;
  }

  async #tasks({ dependencies }: CodeTask): Promise<readonly (CodeTask | undefined)[]> {
    return await Promise.all(dependencies.map((id) => this.#ports.taskBackend.getTask(id)));
  }

  /** A command that does not fit the state changes nothing, as in the engine (CANCEL-6). */
  async #change(workflowId: string, from: readonly WorkflowState[], to: WorkflowState, error?: string): Promise<void> {
    const record = await this.#record(workflowId);
    const state = stateOf(record);
    if (!from.includes(state)) return;
    const changes = Number(record.context["changes"] ?? 0) + 1;
    const context = { ...record.context, state: to, changes, ...(error === undefined ? {} : { error }) };
    await this.#ports.taskBackend.updateTask(workflowId, { context });
    await this.#publish(workflowId, to === "running" ? EventType.WorkflowResumed : EVENTS[to], changes, error);
  }

  async #publish(workflowId: string, type: EventType, number: number, error?: string): Promise<void> {
    const event: CodeEvent = {
      type,
      workflowId,
      timestamp: Date.now(),
      id: `${workflowId}:${number}`,
      ...(error === undefined ? {} : { error }),
    };
    await this.#ports.eventPort.publish(event);
  }
}

const EVENTS: Readonly<Record<WorkflowState, EventType>> = {
  running: EventType.WorkflowStarted,
  paused: EventType.WorkflowPaused,
  completed: EventType.WorkflowCompleted,
  failed: EventType.WorkflowFailed,
  cancelled: EventType.WorkflowFailed,
};

function stateOf({ context, status }: CodeTask): WorkflowState {
  if (status === "completed" || status === "failed") return status;
  const state = context["state"];
  return typeof state === "string" && Object.hasOwn(EVENTS, state) ? (state as WorkflowState) : "running";
}
