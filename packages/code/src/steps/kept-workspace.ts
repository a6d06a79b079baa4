import { fixTaskId } from "../git/branch-names.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput } from "./step-values.ts";

/** The folder of the last agent that worked on a task: of its last fix, or of the task itself. */
export async function keptWorkspace(
  task: string,
  { workflow, fixesMade = 0 }: MergeInput,
  { ports: { workspacePort } }: StepRuntime,
): Promise<string | undefined> {
  const fixes = Array.from({ length: fixesMade }, (_, index) => fixTaskId(task, fixesMade - index));
  for (const name of [...fixes, task]) {
    const path = await workspacePort.getWorkspacePath(`${workflow.workflowId}/${name}`);
    if (path !== undefined) return path;
  }
  return undefined;
}
