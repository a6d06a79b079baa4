// Facts about tasks, sessions and merges that the log lines of 003 tell, read from the journal (EVENT-5).
//
//   LF1. Tasks of the template are in the input of the execution; a task that was added later is in the input of its step.
//   LF2. The folder of the workspaces is in the output of `prepare`, as the workspace port has given it.
//   LF3. The branch of a merge is that of the work that was merged: of the task, or of its last fix.

import type { Event, JsonObject, State, Value } from "@segno/kernel";
import { taskBranch } from "../git/branch-names.ts";
import { EventType } from "../model/event-type.ts";
import { addedSessions, codeStep } from "./code-step.ts";
import type { CodeEvent } from "./event-port.ts";
import { constantInput, failedBranch, jsonOf, objectOf, type ReadValue } from "./merge-facts.ts";

/** The value of an event of the journal that events are derived from. */
export function readFrom(state: State, event: Event): Value | undefined {
  if (event.kind === "execution.created") return event.input;
  if (event.kind !== "step.started" && event.kind !== "step.completed") return undefined;
  const role = codeStep(state, event.step)?.role;
  if (role === "prepare" && event.kind === "step.completed") return event.output;
  return role === "merge" ? (event.kind === "step.started" ? event.call : event.output) : undefined;
}

type LineFields = Pick<CodeEvent, "taskType" | "dependencies" | "workspacePath" | "taskBranch" | "workflowBranch">;

export class LineFacts {
  readonly #readValue: ReadValue;
  /** The tasks of the template and those that were added, by id. */
  readonly #tasks = new Map<string, JsonObject>();
  /** The output of `prepare`. */
  #workflow: JsonObject = {};

  constructor(readValue: ReadValue) {
    this.#readValue = readValue;
  }

  /** Call it after the event has been applied to the state. */
  apply(state: State, event: Event): void {
    if (event.kind === "execution.created") {
      const tasks = objectOf(objectOf(jsonOf(event.input, this.#readValue))["tasks"]);
      for (const [id, task] of Object.entries(tasks)) this.#tasks.set(id, objectOf(task));
    } else if (event.kind === "step.completed" && codeStep(state, event.step)?.role === "prepare")
      this.#workflow = objectOf(jsonOf(event.output, this.#readValue));
    else if (event.kind === "step.expanded")
      for (const step of addedSessions(state, event.step)) {
        const task = objectOf(constantInput(state, codeStep(state, step)!.name)["task"]);
        if (typeof task["id"] === "string") this.#tasks.set(task["id"], task);
      }
  }

  /** The fields of an event that follows from the last event of the journal. */
  fieldsOf(event: Pick<CodeEvent, "type" | "taskId" | "originalTaskId">, state: State, cause: Event): LineFields {
    const { type, taskId } = event;
    switch (type) {
      case EventType.TaskScheduled:
        return this.#scheduled(event);
      case EventType.SessionCreated:
        return taskId === undefined ? {} : this.#session(taskId, state.created!.execution);
      case EventType.MergeFailed: {
        const branch = taskId === undefined ? undefined : failedBranch(state, cause, this.#readValue);
        const { workflowBranch } = this.#workflow;
        return {
          ...(branch === undefined ? {} : { taskBranch: branch }),
          ...(typeof workflowBranch === "string" ? { workflowBranch } : {}),
        };
      }
      default:
        return {};
    }
  }

  #scheduled({ taskId = "", originalTaskId }: Pick<CodeEvent, "taskId" | "originalTaskId">): LineFields {
    // A fix waits for nothing: it begins when the merge has failed.
    if (originalTaskId !== undefined) return { taskType: "fix", dependencies: [] };
    const { type, dependsOn } = this.#tasks.get(taskId) ?? {};
    return {
      ...(typeof type === "string" ? { taskType: type } : {}),
      ...(Array.isArray(dependsOn) ? { dependencies: dependsOn as readonly string[] } : {}),
    };
  }

  #session(taskId: string, execution: string): LineFields {
    const { workspaceFolder } = this.#workflow;
    return {
      ...(typeof workspaceFolder === "string" ? { workspacePath: `${workspaceFolder}/${taskId}` } : {}),
      taskBranch: taskBranch(execution, taskId),
    };
  }
}
