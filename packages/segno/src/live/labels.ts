// Labels of executions where several are shown: the workflow, with a prefix of the id if two have the same workflow.

import { idPrefix } from "../lookup/short-id.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";

export class Labels {
  readonly #executions = new Map<string, FollowedExecution>();
  readonly #workflows = new Map<string, number>();

  get executions(): readonly FollowedExecution[] {
    return [...this.#executions.values()];
  }

  add(execution: FollowedExecution): void {
    if (!this.#executions.has(execution.id)) this.#count(execution, 1);
    // After dropped events, another object follows the execution.
    this.#executions.set(execution.id, execution);
  }

  delete(execution: FollowedExecution): void {
    if (this.#executions.delete(execution.id)) this.#count(execution, -1);
  }

  of(id: string): string {
    const workflow = this.#executions.get(id)?.workflow;
    if (workflow === undefined) return idPrefix(id);
    return this.#workflows.get(workflow)! < 2 ? workflow : `${workflow} ${idPrefix(id)}`;
  }

  #count({ workflow }: FollowedExecution, difference: number): void {
    this.#workflows.set(workflow, (this.#workflows.get(workflow) ?? 0) + difference);
  }
}
