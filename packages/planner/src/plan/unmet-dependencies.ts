import { comparableId } from "../model/check.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";

/** Names the dependencies for which steps were waiting that never became eligible. Created only if there are such steps. */
export class UnmetDependencies {
  readonly #satisfied: Set<string>;
  readonly #declared = new Map<string, number>();

  constructor(steps: readonly WorkflowStep[], completed: readonly string[]) {
    this.#satisfied = new Set(completed.map(comparableId));
    steps.forEach(({ stepId, enabled }, index) => {
      const id = comparableId(stepId);
      this.#declared.set(id, index);
      if (!enabled) this.#satisfied.add(id);
    });
  }

  /** Names the dependency that is declared first, so that the order of `dependsOn` has no effect (GRAPH-3). */
  textFor({ dependsOn }: WorkflowStep): string {
    const ids = [...new Set(dependsOn.map(comparableId))];
    const unmet = ids.filter((id) => !this.#satisfied.has(id));
    // Several steps have this id: one of them completed, but not the one that the step depends on.
    if (unmet.length === 0) return `it depends on ${this.#first(ids)}, an id that several steps have`;
    const others = unmet.length > 1 ? ` (and ${unmet.length - 1} more)` : "";
    return `it depends on ${this.#first(unmet)}${others}, which did not complete`;
  }

  #first(ids: readonly string[]): string {
    return ids.reduce((a, b) => (this.#comesBefore(b, a) ? b : a));
  }

  /** Ids that no step has come last, sorted by their text. */
  #comesBefore(a: string, b: string): boolean {
    const [indexOfA, indexOfB] = [this.#declaredIndex(a), this.#declaredIndex(b)];
    return indexOfA === indexOfB ? a < b : indexOfA < indexOfB;
  }

  #declaredIndex(id: string): number {
    return this.#declared.get(id) ?? Number.POSITIVE_INFINITY;
  }
}
