// Translates the kernel's problems of a graph into those of the planner: reasons, paths into the list of steps, and names.

import type { GraphProblem } from "@segno/kernel";
import { comparableId } from "../model/check.ts";
import type { ProblemPath } from "../model/problem-path.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";

/** Keeps the kernel's order: declaration order, cycles last (GRAPH-6). */
export function reportGraphProblems(
  steps: readonly WorkflowStep[],
  problems: readonly GraphProblem[],
  problemPath: ProblemPath,
): void {
  const report = new GraphReport(steps);
  for (const problem of problems) report.add(problem, problemPath);
}

class GraphReport {
  readonly #steps: readonly WorkflowStep[];
  #repeated: ReadonlySet<string> | undefined;

  constructor(steps: readonly WorkflowStep[]) {
    this.#steps = steps;
  }

  add(problem: GraphProblem, problemPath: ProblemPath): void {
    switch (problem.kind) {
      case "duplicate-id": {
        const { stepId } = this.#steps[problem.step]!;
        const message = `the id ${stepId} is already used by the step ${this.#quotedName(problem.first)}`;
        problemPath.at(problem.step, "stepId").report("duplicate-step", message);
        return;
      }
      case "unknown-dependency": {
        const dependencyId = this.#steps[problem.step]!.dependsOn[problem.position]!;
        const message = `the step ${this.#quotedName(problem.step)} depends on ${dependencyId}, which is not a step of this workflow`;
        problemPath.at(problem.step, "dependsOn", problem.position).report("unknown-dependency", message);
        return;
      }
      case "cycle":
        this.#addCycle(problem.path, problemPath);
    }
  }

  #addCycle(path: readonly number[], problemPath: ProblemPath): void {
    const [first, closing] = [path[0]!, path.at(-2)!];
    const closingId = comparableId(this.#steps[closing]!.stepId);
    const position = this.#steps[first]!.dependsOn.findIndex((id) => comparableId(id) === closingId);
    problemPath.at(first, "dependsOn", position).report("cycle", `a dependency cycle: ${this.#cycleText(path)}`);
  }

  #cycleText(path: readonly number[]): string {
    const shown = path.slice(0, CYCLE_SHOWN_MAX).map((step) => this.#label(this.#steps[step]!));
    const rest = path.length - shown.length;
    return rest === 0 ? shown.join(" -> ") : `${shown.join(" -> ")} -> and ${rest} more`;
  }

  /** The name of a step, with its id if several steps have that name (GRAPH-1), because a name is not an identity (GRAPH-7). */
  #label({ stepName, stepId }: WorkflowStep): string {
    this.#repeated ??= repeatedNames(this.#steps);
    return this.#repeated.has(stepName) ? `${stepName} (${stepId})` : stepName;
  }

  #quotedName(step: number): string {
    return JSON.stringify(this.#steps[step]!.stepName);
  }
}

/** A cycle may be as long as the workflow; the message names this many of its steps. */
const CYCLE_SHOWN_MAX = 20;

function repeatedNames(steps: readonly WorkflowStep[]): ReadonlySet<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { stepName } of steps) (seen.has(stepName) ? repeated : seen).add(stepName);
  return repeated;
}
