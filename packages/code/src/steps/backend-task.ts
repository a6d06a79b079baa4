// Tasks of a template as records of a task backend.

import { isDate } from "../template/deadline.ts";
import type { TemplateTask } from "../template/template.ts";
import type { CodeTask, NewTask } from "../model/task.ts";

/** Several workflows may share a backend, so its ids contain the workflow. */
export function backendTaskId(workflowId: string, taskId: string): string {
  return `${workflowId}-${taskId}`;
}

export function toNewTask(workflowId: string, task: TemplateTask): NewTask {
  const { id, title, instructions, acceptanceCriteria, type, priority, context, deadline } = task;
  return {
    id: backendTaskId(workflowId, id),
    workflowId,
    title,
    instructions,
    acceptanceCriteria,
    type,
    priority,
    context,
    ...(typeof deadline === "string" && isDate(deadline) ? { deadline } : {}),
  };
}

/** A task as strategies and policies see it. */
export function toCodeTask(workflowId: string, task: TemplateTask, all: readonly TemplateTask[] = []): CodeTask {
  const { dependsOn } = task;
  return {
    ...toNewTask(workflowId, task),
    id: task.id,
    title: task.title,
    workflowId,
    instructions: task.instructions,
    acceptanceCriteria: task.acceptanceCriteria,
    type: task.type,
    priority: task.priority,
    context: task.context,
    status: "open",
    dependencies: dependsOn,
    blockedTasks: all.filter((other) => other.dependsOn.includes(task.id)).map(({ id }) => id),
  };
}
