import type { WorkflowStep } from "../model/workflow-step.ts";

/** Says what the steps that never became eligible were waiting for. Made only when there are such steps. */
export class UnmetDependencies {
  readonly #satisfied: Set<string>;
  readonly #declared = new Map<string, number>();

  constructor(steps: readonly WorkflowStep[], completed: readonly string[]) {
    this.#satisfied = new Set(completed);
    steps.forEach(({ stepId, enabled }, index) => {
      this.#declared.set(stepId, index);
      if (!enabled) this.#satisfied.add(stepId);
    });
  }

  /** The one declared first is named, so that the order in which dependencies are listed does not show (GRAPH-3). */
  textFor({ dependsOn }: WorkflowStep): string {
    const unmet = [...new Set(dependsOn)].filter((id) => !this.#satisfied.has(id));
    const first = unmet.reduce((a, b) => (this.#comesBefore(b, a) ? b : a));
    const others = unmet.length > 1 ? ` (and ${unmet.length - 1} more)` : "";
    return `it depends on ${first}${others}, which did not complete`;
  }

  /** Ids that no step has come last, among each other by their text. */
  #comesBefore(a: string, b: string): boolean {
    const [placeOfA, placeOfB] = [this.#placeOf(a), this.#placeOf(b)];
    return placeOfA === placeOfB ? a < b : placeOfA < placeOfB;
  }

  #placeOf(id: string): number {
    return this.#declared.get(id) ?? Number.POSITIVE_INFINITY;
  }
}
