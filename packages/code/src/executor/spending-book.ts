// The spending of the workflows that this process runs, by workflow.
//
//   SB1. The journal is read once, before the first session of a workflow in this process begins. From then on the sessions
//        tell their cost themselves.

import type { Engine } from "@segno/engine";
import { WorkflowSpending } from "../steps/workflow-spending.ts";
import { foldUsage } from "./usage-fold.ts";

export class SpendingBook {
  readonly #workflows = new Map<string, Promise<WorkflowSpending>>();

  of(engine: Engine, workflowId: string, budgetUsd: number): Promise<WorkflowSpending> {
    const known = this.#workflows.get(workflowId);
    if (known !== undefined) return known;
    const opened = spentInJournal(engine, workflowId).then((earlierUsd) => new WorkflowSpending(budgetUsd, earlierUsd));
    this.#workflows.set(workflowId, opened);
    opened.catch(() => this.#workflows.delete(workflowId));
    return opened;
  }

  forget(workflowId: string): void {
    this.#workflows.delete(workflowId);
  }
}

/** The cost of all sessions of a workflow that have ended. */
async function spentInJournal(engine: Engine, workflowId: string): Promise<number> {
  return (await foldUsage(await engine.get(workflowId))).total.costUsd ?? 0;
}
