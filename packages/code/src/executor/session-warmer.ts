// Prepares workspaces while a workflow runs: when the session of a task begins, its dependants will probably start next.

import type { Engine } from "@segno/engine";
import { oneOpenDependency, SpeculativeScheduler, type TaskPredictor } from "../scheduling/speculative-scheduler.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { Branches } from "../vcs/branches.ts";
import type { WorkflowCatalog } from "./workflow-catalog.ts";

/** Not a step below it, such as the session of a task that was claimed. */
const TASK_STEP = /(?:^|\/)session-[^/]+$/u;

export class SessionWarmer {
  readonly #engine: Engine;
  readonly #catalog: WorkflowCatalog;
  readonly #sessions: SessionManager;
  readonly #scheduler: SpeculativeScheduler;

  constructor(
    engine: Engine,
    catalog: WorkflowCatalog,
    sessions: SessionManager,
    branches: Pick<Branches, "getBranchStatus">,
    predictor: TaskPredictor = oneOpenDependency,
  ) {
    this.#engine = engine;
    this.#catalog = catalog;
    this.#sessions = sessions;
    this.#scheduler = new SpeculativeScheduler(sessions, branches, predictor);
  }

  /** Returns how to stop. */
  start(): () => void {
    const kinds = ["step.started", "execution.completed", "execution.failed", "execution.cancelled"] as const;
    return this.#engine.subscribe({ kinds }, async ({ events }) => {
      for (const { kind, step, executionId } of events) {
        if (kind !== "step.started") await this.#sessions.discardWarmSessions(executionId);
        else if (step !== undefined && TASK_STEP.test(step)) await this.#warm(executionId);
      }
    });
  }

  async #warm(workflowId: string): Promise<void> {
    const workflow = this.#catalog.find(this.#engine, workflowId);
    if (workflow === undefined) return;
    const tasks = this.#catalog.tasks(this.#engine, workflowId);
    await this.#scheduler.preExecuteTasks({ context: workflow.context, tasks });
  }
}
