// Tasks of a template as records of a task backend.

import { CodeError } from "../errors/code-error.ts";
import { checkTaskId } from "../git/branch-names.ts";
import { isDate } from "../template/deadline.ts";
import type { TemplateTask } from "../template/template.ts";
import type { CodeTask, NewTask } from "../model/task.ts";
import type { StepTask } from "./step-values.ts";

/** Several workflows may share a backend, so its ids contain the workflow. */
export function backendTaskId(workflowId: string, { id, backendId }: Pick<StepTask, "id" | "backendId">): string {
  return backendId ?? `${workflowId}-${id}`;
}

const LOCAL_ID = /^[a-z][a-z0-9_-]{0,63}$/u;

/** The id of an added task in step names, branches and folders. Throws if it cannot be one. */
export function localTaskId(workflowId: string, id: string): string {
  const prefix = `${workflowId}-`;
  const local = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  if (!LOCAL_ID.test(local))
    throw new CodeError(
      "TASK_ID_INVALID",
      `the id \`${id}\` must begin with a lower-case letter and have at most 64 lower-case letters, digits, \`_\` and \`-\``,
    );
  checkTaskId(local);
  return local;
}

export function toNewTask(workflowId: string, task: TemplateTask): NewTask {
  const { id, title, instructions, acceptanceCriteria, type, priority, context, deadline } = task;
  const { agent, checks, touches, exclusive } = task;
  return {
    id: backendTaskId(workflowId, { id }),
    workflowId,
    title,
    instructions,
    acceptanceCriteria,
    type,
    priority,
    context,
    ...(typeof deadline === "string" && isDate(deadline) ? { deadline } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(checks === undefined ? {} : { checks }),
    ...(touches.length === 0 ? {} : { touches }),
    ...(exclusive ? { exclusive } : {}),
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

/** A task of the backend as a step needs it. */
export function toStepTask(task: CodeTask, id: string, dependsOn: readonly string[]): StepTask {
  const { title, instructions, acceptanceCriteria, context, priority, type, deadline } = task;
  const { agent, checks, touches = [], exclusive = false } = task;
  return {
    id,
    backendId: task.id,
    title,
    instructions,
    acceptanceCriteria,
    dependsOn,
    context,
    priority,
    type,
    ...(deadline === undefined ? {} : { deadline }),
    ...(agent === undefined ? {} : { agent }),
    ...(checks === undefined ? {} : { checks }),
    touches,
    exclusive,
  };
}
