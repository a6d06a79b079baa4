// Removes what is not needed after a landing: workspaces and branches of the task and of its fixes (CODE-3, CODE-9).

import { taskBranch } from "../git/branch-names.ts";
import { fixTaskId } from "../resolution/error-handler.ts";
import type { LandingMarker } from "../vcs/branches.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput, WorkValue } from "./step-values.ts";

export async function cleanUp(input: MergeInput, work: WorkValue, { ports }: StepRuntime): Promise<void> {
  const { workflow, task, fixesMade = 0, settings } = input;
  if (!settings.cleanupOnSuccess || work.kind === "unchanged") return;
  const { workflowId } = workflow;
  const root = task?.id ?? "landing";
  const fixes = Array.from({ length: fixesMade }, (_, index) => fixTaskId(root, index + 1));
  const marker: LandingMarker = { workflowId, name: task?.id ?? "_workflow" };
  for (const id of [root, ...fixes]) {
    await ports.workspacePort.destroyWorkspace(`${workflowId}/${id}`);
    const branch = taskBranch(workflowId, id);
    const { head } = await ports.vcsPort.getBranchStatus(branch);
    if (head !== undefined) await ports.vcsPort.deleteBranch(branch, head, marker);
  }
}
