// A merge policy for tests: it lands work in the repository of the request, as `checks` does, unless the test has scripted
// another result. It serves steps and workflows alike.

import type { MergeResult, MergeWait } from "../model/merge-result.ts";
import { mergeByBranch, toMergeResult } from "./branch-merge.ts";
import type { MergePolicyRequest, StepMergeRequest, WorkflowMergeRequest } from "./merge-policies.ts";
import { RecordedPolicy } from "./policies.ts";

/** The result of one merge. */
export type ScriptedMerge =
  | { readonly kind: "land" }
  | { readonly kind: "conflict"; readonly paths: readonly string[] }
  | { readonly kind: "check-failed"; readonly command: string; readonly log: string }
  /** The merge cannot go on yet; an approved merge does not wait for its approval. */
  | { readonly kind: "wait"; readonly waitingFor: MergeWait };

/** The results of merges. Each merge takes the next one; without one, the work lands. */
export interface MergeScript {
  /** By the id of the task. */
  readonly tasks?: Readonly<Record<string, readonly ScriptedMerge[]>>;
  /** The outcome of the landing of the workflow. */
  readonly workflow?: readonly ScriptedMerge[];
}

/** A merge policy for tests whose results are scripted. */
export class MemoryMergePolicy extends RecordedPolicy {
  override readonly policyName = "checks";
  /** The merges that were asked for, oldest first. */
  readonly requests: (StepMergeRequest | WorkflowMergeRequest)[] = [];
  readonly #tasks: ReadonlyMap<string, ScriptedMerge[]>;
  readonly #workflow: ScriptedMerge[];

  constructor({ tasks = {}, workflow = [] }: MergeScript = {}) {
    super();
    this.#tasks = new Map(Object.entries(tasks).map(([id, results]) => [id, [...results]]));
    this.#workflow = [...workflow];
  }

  protected async merge(request: StepMergeRequest | WorkflowMergeRequest): Promise<MergeResult> {
    this.requests.push(request);
    const script = "task" in request ? this.#tasks.get(request.task.id) : this.#workflow;
    return await follow(request, script?.shift() ?? { kind: "land" });
  }
}

async function follow(request: MergePolicyRequest, script: ScriptedMerge): Promise<MergeResult> {
  const { mergeId, vcs, sourceHead, targetBranch, isApproved } = request;
  if (script.kind === "land" || (script.kind === "wait" && script.waitingFor.kind === "approval" && isApproved))
    return await mergeByBranch(request);
  if (script.kind === "wait") return { success: false, mergeId, waitingFor: script.waitingFor };
  const { head: onto } = await vcs.getBranchStatus(targetBranch);
  // No commit has the merged files, so a fix starts from the work itself.
  const failed = { onto: onto ?? sourceHead, commit: sourceHead };
  if (script.kind === "check-failed") return toMergeResult(request, { ...script, ...failed });
  const files = script.paths.map((path) => ({ path, messages: [`CONFLICT (content): Merge conflict in ${path}`] }));
  return toMergeResult(request, { kind: "conflict", ...failed, conflicts: { files } });
}
