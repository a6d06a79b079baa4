// Facts about a workflow that its events do not repeat, for log lines.

import { taskBranch, workflowBranch } from "../git/branch-names.ts";
import type { TemplateTask } from "../template/template.ts";

export interface TaskFacts {
  readonly type: string;
  readonly dependencies: readonly string[];
}

export interface WorkflowFacts {
  readonly workflowBranch: string;
  /** Undefined for a task that the template does not have, such as a fix. */
  task(taskId: string): TaskFacts | undefined;
  taskBranch(taskId: string): string;
  workspacePath(taskId: string): string;
}

/** The facts follow from the input of the execution, its id, and the folder of the worktrees (CODE-3, ruling 35). */
export function workflowFacts(
  executionId: string,
  { tasks }: { readonly tasks: Readonly<Record<string, Pick<TemplateTask, "type" | "dependsOn">>> },
  worktrees: string = ".segno/worktrees",
): WorkflowFacts {
  return {
    workflowBranch: workflowBranch(executionId),
    task: (taskId) => {
      const task = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;
      return task === undefined ? undefined : { type: task.type, dependencies: task.dependsOn };
    },
    taskBranch: (taskId) => taskBranch(executionId, taskId),
    workspacePath: (taskId) => `${worktrees}/${executionId}/${taskId}`,
  };
}
