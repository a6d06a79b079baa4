// The resources by which merges take turns. An engine shares resources by name among all executions, so the names say which
// branch of which repository they are about: merges into one branch wait for each other, and no others do.

import { createHash } from "node:crypto";

/** The branches that a workflow merges into. */
export interface MergeTargets {
  /** Identifies the repository, whatever folder of it was named. */
  readonly repository: string;
  readonly workflowBranch: string;
  readonly baseBranch: string;
}

export interface MergeResources {
  /** Merges into the branch of the workflow. */
  readonly tasks: string;
  /** Landings on the base branch. */
  readonly landing: string;
}

/** Without targets, as in a plan, the names are the same for all workflows. */
export function mergeResources(targets: MergeTargets | undefined): MergeResources {
  if (targets === undefined) return { tasks: "merges", landing: "landings" };
  const { repository, workflowBranch, baseBranch } = targets;
  return { tasks: resourceOf(repository, workflowBranch), landing: resourceOf(repository, baseBranch) };
}

/** The part of a branch that is shown; names of resources have a limit. */
const SHOWN_MAX = 80;

function resourceOf(repository: string, branch: string): string {
  const shown = branch.replaceAll(/[^A-Za-z0-9_.-]/gu, "-").slice(0, SHOWN_MAX);
  const identity = createHash("sha256")
    .update(JSON.stringify([repository, branch]))
    .digest("hex")
    .slice(0, 16);
  return `merges-${shown}-${identity}`;
}
