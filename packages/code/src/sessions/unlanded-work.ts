// Work that agents have finished and that has not landed. When another agent finishes, its work is merged with each of
// these on trial, so that people learn of a conflict before the merge meets it.
//
//   UW1. It only warns: the merges themselves decide. So it is kept in memory.

import type { Branches } from "../vcs/branches.ts";

export interface ProbedConflict {
  readonly taskId: string;
  readonly files: readonly string[];
}

export class UnlandedWork {
  readonly #branches = new Map<string, Map<string, string>>();

  /** Remembers the branch of a task, and finds the tasks whose work conflicts with it. */
  async add(
    { workflowId, taskId, branch }: { readonly workflowId: string; readonly taskId: string; readonly branch: string },
    vcs: Pick<Branches, "getConflicts">,
  ): Promise<readonly ProbedConflict[]> {
    const others = this.#branches.get(workflowId) ?? new Map<string, string>();
    this.#branches.set(workflowId, others);
    const found: ProbedConflict[] = [];
    for (const [other, otherBranch] of others) {
      if (other === taskId) continue;
      const { files } = await vcs.getConflicts(branch, otherBranch);
      if (files.length > 0) found.push({ taskId: other, files: files.map(({ path }) => path) });
    }
    others.set(taskId, branch);
    return found;
  }

  remove(workflowId: string, taskId: string): void {
    const branches = this.#branches.get(workflowId);
    branches?.delete(taskId);
    if (branches?.size === 0) this.#branches.delete(workflowId);
  }
}
