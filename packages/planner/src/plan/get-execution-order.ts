import { computeOrder } from "@segno/kernel";
import { oneOf } from "../model/check.ts";
import { readOptions } from "../model/options.ts";
import { ProblemPath } from "../model/problem-path.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { reportGraphProblems } from "./graph-problems.ts";
import { orderWithoutCycles, buildStepGraph } from "./step-graph.ts";
import { builtSteps } from "./step-list.ts";

/** Options of `getExecutionOrder`. */
export interface ExecutionOrderOptions {
  /** How steps on a cycle, and steps that depend on one, are handled. They are refused by default (ruling 14). */
  readonly onCycle?: "refuse" | "drop" | undefined;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof ExecutionOrderOptions>(["onCycle"]);
const cycleChoice = oneOf({ REFUSE: "refuse", DROP: "drop" }, "unknown-value");

/** Returns the ids of all enabled steps, wave by wave, in declaration order inside a wave (GRAPH-2). */
export function getExecutionOrder(
  steps: readonly WorkflowStep[],
  options: ExecutionOrderOptions = {},
): readonly string[] {
  const onCycle = readOptions("the call of getExecutionOrder", options, OPTIONS, (fields) =>
    fields.withDefault("onCycle", cycleChoice, "refuse"),
  );
  const list = builtSteps(steps);
  const graph = buildStepGraph(list);
  const isDropping = onCycle === "drop";
  refuse(list, isDropping ? graph.problems.filter(({ kind }) => kind !== "cycle") : graph.problems);
  const order = isDropping ? orderWithoutCycles(list, graph) : computeOrder(graph.graph).steps;
  return Object.freeze(Array.from(order, (step) => list[step]!.stepId));
}

function refuse(steps: readonly WorkflowStep[], graphProblems: ReturnType<typeof buildStepGraph>["problems"]): void {
  const problems: PlannerProblem[] = [];
  reportGraphProblems(steps, graphProblems, new ProblemPath(problems, ["steps"]));
  if (problems.length > 0) throw new ValidationError("the order of the steps", problems);
}
