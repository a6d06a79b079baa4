// Removes what is not needed after a landing: workspaces and branches of the task and of its fixes (CODE-3, CODE-9).
//
//   LW1. A branch is removed only if it has a commit that the journal knows. If a person or another program has moved it,
//        the branch and its workspace stay. A commit that was found only now counts if it is the one that landed.

import { checkWorkspace, taskBranch } from "../git/branch-names.ts";
import type { LandingMarker } from "../vcs/branches.ts";
import type { StepPorts } from "./code-ports.ts";
import type { MergeInput, SessionHeads, WorkValue } from "./step-values.ts";

export async function cleanUp(
  { workflow, task, settings, sessions = [], reopened }: MergeInput,
  work: WorkValue & { readonly hasLanded: boolean },
  { workspacePort, vcsPort }: Pick<StepPorts, "workspacePort" | "vcsPort">,
): Promise<void> {
  if (!settings.cleanupOnSuccess) return;
  const { workflowId } = workflow;
  const marker: LandingMarker = { workflowId, name: task?.id ?? "_workflow" };
  for (const { id, heads } of work.hasLanded ? withCurrent(sessions, work) : sessions) {
    const branch = taskBranch(workflowId, id);
    const { head } = await vcsPort.getBranchStatus(branch);
    if (head !== undefined && !heads.includes(head)) continue;
    await workspacePort.destroyWorkspace(`${workflowId}/${id}`);
    if (head !== undefined) await vcsPort.deleteBranch(branch, head, marker);
  }
  const checked = new Set((reopened ?? []).flatMap((each) => (each === null ? [] : [each.workspaceId])));
  for (const workspaceId of [...checked].map(checkWorkspace)) {
    await workspacePort.destroyWorkspace(workspaceId);
    // No work is on this branch.
    const branch = taskBranch(workflowId, workspaceTask(workspaceId));
    const { head } = await vcsPort.getBranchStatus(branch);
    if (head !== undefined) await vcsPort.deleteBranch(branch, head, marker);
  }
}

/** The second part of the id of a workspace. */
export function workspaceTask(workspaceId: string): string {
  return workspaceId.slice(workspaceId.indexOf("/") + 1);
}

/** The sessions of the merge, with the commit that was merged. */
function withCurrent(sessions: readonly SessionHeads[], { workspaceId, commit }: WorkValue): readonly SessionHeads[] {
  const current = workspaceTask(workspaceId);
  const known = sessions.find(({ id }) => id === current)?.heads ?? [];
  return [{ id: current, heads: [...known, commit] }, ...sessions.filter(({ id }) => id !== current)];
}
