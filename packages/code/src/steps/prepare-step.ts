// The first step: creates the workflow branch, then the records of the tasks (CODE-3). Each part may be repeated.

import type { StepContext } from "@segno/engine";
import { workflowBranch } from "../git/branch-names.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { backendTaskId, toNewTask } from "./backend-task.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeInput } from "./step-values.ts";

export async function prepareWorkflow(
  { template, parameters, tasks, baseBranch }: CodeInput,
  { executionId }: Pick<StepContext, "executionId">,
  { ports: { vcsPort, taskBackend }, executorId }: Pick<StepRuntime, "ports" | "executorId">,
): Promise<WorkflowContext> {
  const branch = workflowBranch(executionId);
  const baseCommit = await vcsPort.createBranch(branch, baseBranch);
  const list = Object.values(tasks);
  for (const task of list) await taskBackend.createTask(toNewTask(executionId, task));
  for (const { id, dependsOn } of list)
    for (const dependency of dependsOn)
      await taskBackend.addDependency(backendTaskId(executionId, id), backendTaskId(executionId, dependency));
  return { workflowId: executionId, template, workflowBranch: branch, baseBranch, baseCommit, parameters, executorId };
}
