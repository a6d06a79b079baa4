// Merges the work of tasks by a policy, and answers questions about merges (CODE-5, CODE-7).

import { CodeError } from "../errors/code-error.ts";
import type { StepMergePolicy, StepMergeRequest } from "../merging/merge-policies.ts";
import { ErrorType } from "../model/error-type.ts";
import type { ConflictInfo, MergeError, MergeResult, MergeStatus } from "../model/merge-result.ts";
import type { CodeTask, NewTask } from "../model/task.ts";
import { ErrorHandler } from "../resolution/error-handler.ts";
import { landingMarker, mergeId } from "../steps/merge-step.ts";
import type { Vcs } from "../vcs/vcs.ts";
import { mergeHistory, type MergeRecord } from "./merge-history.ts";
import type { MergeJournal } from "./merge-journal.ts";

/** Options of `IntegrationManager`. */
export interface IntegrationManagerOptions {
  /** Makes the fix tasks of failed merges. */
  readonly errorHandler?: ErrorHandler;
  /** The merges of the workflows of an engine. */
  readonly journal?: MergeJournal;
}

/** Merges the work of tasks into the branch of their workflow, and reports on merges. */
export class IntegrationManager {
  readonly #policy: StepMergePolicy;
  readonly #vcs: Vcs;
  readonly #errors: ErrorHandler;
  readonly #journal: MergeJournal | undefined;
  readonly #requests = new Map<string, StepMergeRequest>();
  /** The last failure of each merge. */
  readonly #failures = new Map<string, MergeResult>();

  constructor(stepMergePolicy: StepMergePolicy, vcs: Vcs, options: IntegrationManagerOptions = {}) {
    this.#policy = stepMergePolicy;
    this.#vcs = vcs;
    this.#errors = options.errorHandler ?? new ErrorHandler();
    this.#journal = options.journal;
  }

  /** Merges the branch of a task into the branch of its workflow, by the merge policy. */
  async mergeStep(taskBranch: string, workflowBranch: string, task: CodeTask): Promise<MergeResult> {
    const request = await this.#request(taskBranch, workflowBranch, task);
    this.#requests.set(request.mergeId, request);
    return await this.#merge(request);
  }

  /** The merges of an engine's workflows are read from its journal, also after a restart. */
  async getMergeStatus(id: string): Promise<MergeStatus | undefined> {
    return (await this.#journal?.status(id)) ?? (await this.#policy.getMergeStatus(id));
  }

  /**
   * Merges again, with the current head of the task's branch. A merge of an engine's workflow is tried again there. Work
   * that has landed does not land twice (CODE-6).
   */
  async retryMerge(id: string): Promise<MergeResult> {
    const before = this.#requests.get(id);
    if (before === undefined) {
      if (this.#journal !== undefined) return await this.#journal.retry(id);
      throw new CodeError("TASK_UNKNOWN", `there is no merge ${id}`);
    }
    return await this.mergeStep(before.sourceBranch, before.targetBranch, before.task);
  }

  /** Whether a merge of the two branches would have conflicts. */
  async detectConflicts(taskBranch: string, workflowBranch: string): Promise<boolean> {
    return await this.#vcs.hasConflicts(taskBranch, workflowBranch);
  }

  /** The conflicts that a merge of the two branches would have. */
  async getConflictDetails(taskBranch: string, workflowBranch: string): Promise<ConflictInfo> {
    return await this.#vcs.getConflicts(taskBranch, workflowBranch);
  }

  /** The task carries the conflicts and logs of the last merge of `originalTask`, if it failed here. */
  createFixTask(originalTask: CodeTask, error: MergeError | Error, fixNumber = 1): NewTask {
    const type = "type" in error ? error.type : ErrorType.CIFailure;
    const { id, title, instructions, workflowId } = originalTask;
    const { conflicts, ciLogs } = this.#failures.get(mergeId({ task: { id }, workflow: { workflowId } })) ?? {};
    const context = {
      originalTaskId: id,
      originalIntent: `${title}\n\n${instructions}`,
      error: { type, message: error.message },
      ...(conflicts === undefined ? {} : { conflicts }),
      ...(ciLogs === undefined ? {} : { ciLogs }),
      fixNumber,
    };
    return this.#errors.createFixTask(context, workflowId);
  }

  /** The merges of a workflow, or of one of its tasks, in the order in which they began. */
  async getMergeHistory(workflowId: string, taskId?: string): Promise<readonly MergeRecord[]> {
    if (this.#journal === undefined)
      throw new CodeError("CONFIGURATION_INVALID", "the history of merges needs the events of a journal");
    return mergeHistory(await this.#journal.events(workflowId), taskId);
  }

  async #merge(request: StepMergeRequest): Promise<MergeResult> {
    const result = await this.#policy.mergeStep(request);
    this.#failures.delete(request.mergeId);
    if (result.success || result.waitingFor !== undefined) return result;
    this.#failures.set(request.mergeId, result);
    await this.#policy.handleMergeFailure(request.mergeId, result);
    return result;
  }

  async #request(taskBranch: string, workflowBranch: string, task: CodeTask): Promise<StepMergeRequest> {
    const { head } = await this.#vcs.getBranchStatus(taskBranch);
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${taskBranch}\` does not exist`);
    const { id, workflowId, title } = task;
    const names = { task: { id }, workflow: { workflowId } };
    return {
      mergeId: mergeId(names),
      workflowId,
      task,
      vcs: this.#vcs,
      marker: landingMarker(names),
      sourceBranch: taskBranch,
      sourceHead: head,
      targetBranch: workflowBranch,
      title,
      message: `${title}\n\nSegno-Execution: ${workflowId}\nSegno-Task: ${id}\n`,
      atMs: Date.now(),
      isApproved: false,
      signal: new AbortController().signal,
    };
  }
}
