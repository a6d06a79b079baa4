// Labels of executions where several are shown: the workflow, with a prefix of the id if two have the same workflow.

import { idPrefix } from "../lookup/short-id.ts";
import type { ExecutionProgress } from "../progress/execution-progress.ts";

export class Labels {
  readonly #executions = new Map<string, ExecutionProgress>();
  readonly #workflows = new Map<string, number>();

  get executions(): readonly ExecutionProgress[] {
    return [...this.#executions.values()];
  }

  add(progress: ExecutionProgress): void {
    if (this.#executions.has(progress.id)) return;
    this.#executions.set(progress.id, progress);
    this.#count(progress, 1);
  }

  delete(progress: ExecutionProgress): void {
    if (this.#executions.delete(progress.id)) this.#count(progress, -1);
  }

  of(id: string): string {
    const workflow = this.#executions.get(id)?.workflow;
    if (workflow === undefined) return idPrefix(id);
    return this.#workflows.get(workflow)! < 2 ? workflow : `${workflow} ${idPrefix(id)}`;
  }

  #count({ workflow }: ExecutionProgress, difference: number): void {
    this.#workflows.set(workflow, (this.#workflows.get(workflow) ?? 0) + difference);
  }
}
