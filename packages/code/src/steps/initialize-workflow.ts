// Initialises a workflow: checks it, creates its branch, writes its records, and announces it, in this order (CODE-3).
//
//   IW1. Every part may be repeated: a workflow that was initialised before is left as it is.
//   IW2. The tracking record is written last and marked after the announcement. A crash in between repeats the
//        announcement, and a later call does not.

import { CodeError } from "../errors/code-error.ts";
import { checkTaskId, checkWorkflowId, workflowBranch } from "../git/branch-names.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { trackingRecord } from "../tasks/tracking-record.ts";
import type { Tasks } from "../tasks/task-backend.ts";
import type { Branches } from "../vcs/branches.ts";
import { backendTaskId, toNewTask } from "./backend-task.ts";
import type { CodeInput } from "./step-values.ts";

/** The part of a workflow's input that decides about its branch and its records. */
export type WorkflowPlan = Pick<CodeInput, "template" | "parameters" | "tasks" | "baseBranch">;

export interface InitializePorts {
  readonly vcsPort: Pick<Branches, "createBranch" | "getBranchStatus">;
  readonly taskBackend: Tasks;
}

export async function initializeWorkflow(
  workflowId: string,
  plan: WorkflowPlan,
  { vcsPort, taskBackend }: InitializePorts,
  announce: (context: WorkflowContext) => Promise<void>,
): Promise<WorkflowContext> {
  const { template, parameters, baseBranch } = plan;
  const branch = workflowBranch(workflowId);
  await validate(workflowId, plan, vcsPort);
  const baseCommit = await vcsPort.createBranch(branch, baseBranch);
  const context = { workflowId, template, workflowBranch: branch, baseBranch, baseCommit, parameters };
  const isNew = await writeRecords(workflowId, plan, taskBackend);
  if (isNew) {
    await announce(context);
    await taskBackend.updateTask(workflowId, { status: "in_progress" });
  }
  return context;
}

async function validate(
  workflowId: string,
  { tasks, baseBranch }: WorkflowPlan,
  vcsPort: InitializePorts["vcsPort"],
): Promise<void> {
  checkWorkflowId(workflowId);
  for (const id of Object.keys(tasks)) checkTaskId(id);
  for (const { id, dependsOn } of Object.values(tasks)) {
    const missing = dependsOn.find((other) => !Object.hasOwn(tasks, other));
    if (missing !== undefined)
      throw new CodeError("TASK_UNKNOWN", `the task \`${id}\` waits for \`${missing}\`, which does not exist`);
  }
  const exists = async (branch: string): Promise<boolean> => (await vcsPort.getBranchStatus(branch)).head !== undefined;
  if (!(await exists(baseBranch)) && !(await exists(workflowBranch(workflowId))))
    throw new CodeError("BASE_BRANCH_MISSING", `there is no branch \`${baseBranch}\``);
}

/** Returns whether the workflow has not been announced yet (IW2). */
async function writeRecords(
  workflowId: string,
  { template, tasks }: WorkflowPlan,
  backend: InitializePorts["taskBackend"],
): Promise<boolean> {
  const list = Object.values(tasks);
  const idOf = (id: string): string => backendTaskId(workflowId, { id });
  for (const task of list) await backend.createTask(toNewTask(workflowId, task));
  for (const { id, dependsOn } of list)
    for (const dependency of dependsOn) await backend.addDependency(idOf(id), idOf(dependency));
  const record = await backend.createTask(
    trackingRecord(
      workflowId,
      template,
      list.map(({ id }) => idOf(id)),
    ),
  );
  return record.status === "open";
}
