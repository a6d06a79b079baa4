// Prepares the workspaces of tasks that will probably start next. Only workspaces are prepared: agents are always fresh
// (ruling 37).

import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { Branches } from "../vcs/branches.ts";

/** A workflow as a predictor sees it. */
export interface PredictedWorkflow {
  readonly context: WorkflowContext;
  readonly tasks: readonly CodeTask[];
}

/** Names the tasks that will probably start next. */
export type TaskPredictor = (workflow: PredictedWorkflow) => readonly CodeTask[];

/** The open tasks that wait for exactly one other task. */
export const oneOpenDependency: TaskPredictor = ({ tasks }) => {
  const done = new Set(tasks.filter(({ status }) => status === "completed").map(({ id }) => id));
  return tasks.filter(
    ({ status, dependencies }) => status === "open" && dependencies.filter((id) => !done.has(id)).length === 1,
  );
};

/** Prepares workspaces of tasks that will probably start next. */
export class SpeculativeScheduler {
  readonly #sessions: Pick<SessionManager, "warmupSession">;
  readonly #branches: Pick<Branches, "getBranchStatus">;
  readonly #predict: TaskPredictor;

  constructor(
    sessions: Pick<SessionManager, "warmupSession">,
    branches: Pick<Branches, "getBranchStatus">,
    predictor: TaskPredictor = oneOpenDependency,
  ) {
    this.#sessions = sessions;
    this.#branches = branches;
    this.#predict = predictor;
  }

  /** Returns the ids of the tasks whose workspaces are prepared. */
  async preExecuteTasks(workflow: PredictedWorkflow): Promise<readonly string[]> {
    const { workflowBranch } = workflow.context;
    const { head } = await this.#branches.getBranchStatus(workflowBranch);
    if (head === undefined) return [];
    const tasks = this.#predict(workflow);
    for (const task of tasks) await this.#sessions.warmupSession(task, workflowBranch, head);
    return tasks.map(({ id }) => id);
  }
}
