// Step graph
//
// Job: build the kernel's graph of a list of steps in two forms: as written, for validation, and as planned.
// Not its job: order and cycles; the kernel computes those (ruling 1).
//
//   S1. A step's index in the graph is its index in the list. Ids are compared by value (ruling 55).
//   S2. The planned graph has no disabled steps: they are in no wave, no step waits for them, and their own dependencies are
//       ignored (GRAPH-5).
//   S3. Steps on a cycle, and steps that depend on one, are in no wave. The planner does not validate (PLAN-17): it treats them as
//       steps that never become eligible (PLAN-9).

import { GraphBuilder, computeOrder, type Adjacency, type GraphProblem, type GraphResult } from "@segno/kernel";
import { comparableIds, type WorkflowStep } from "../model/workflow-step.ts";

export function buildStepGraph(steps: readonly WorkflowStep[]): GraphResult {
  return graphWithout(steps, undefined, undefined);
}

/** The planned graph and its order. */
export interface PlanGraph {
  /** All steps that can become eligible, wave by wave (GRAPH-2). */
  readonly order: Int32Array;
  readonly dependencies: Adjacency;
  /** Steps with a dependency that does not exist. */
  readonly stranded: ReadonlySet<number>;
}

export function planGraph(steps: readonly WorkflowStep[]): PlanGraph {
  const disabledIds = idsOfDisabled(steps);
  const whole = graphWithout(steps, undefined, disabledIds);
  const { graph, problems } = hasCycle(whole) ? graphWithout(steps, markCycles(whole), disabledIds) : whole;
  return {
    order: computeOrder(graph).steps,
    dependencies: graph.dependencies,
    stranded: stepsWithUnknownDependency(problems),
  };
}

/** The order of all steps that are not on a cycle or behind one. */
export function orderWithoutCycles(steps: readonly WorkflowStep[], result: GraphResult): Int32Array {
  return computeOrder(graphWithout(steps, markCycles(result), undefined).graph).steps;
}

function graphWithout(
  steps: readonly WorkflowStep[],
  excluded: Uint8Array | undefined,
  satisfied: ReadonlySet<string> | undefined,
): GraphResult {
  const builder = new GraphBuilder();
  for (let index = 0; index < steps.length; index++) {
    const { enabled } = steps[index]!;
    const { stepId, dependsOn } = comparableIds(steps[index]!);
    const isIn = excluded === undefined || excluded[index] === 0;
    builder.add(stepId, enabled && isIn);
    if (!isIn) continue;
    for (let position = 0; position < dependsOn.length; position++) {
      const id = dependsOn[position]!;
      if (satisfied === undefined || !satisfied.has(id)) builder.dependOn(id);
    }
  }
  return builder.build();
}

/** Returns nothing if no step is disabled, which is the usual case: then no dependency has to be looked up. */
function idsOfDisabled(steps: readonly WorkflowStep[]): ReadonlySet<string> | undefined {
  let ids: Set<string> | undefined;
  for (const step of steps) if (!step.enabled) (ids ??= new Set()).add(comparableIds(step).stepId);
  return ids;
}

function hasCycle({ problems }: GraphResult): boolean {
  // Cycles come last (GRAPH-6).
  return problems.at(-1)?.kind === "cycle";
}

/** Marks the steps on a cycle and those behind one. A step that depends on itself has a problem instead of an edge. */
function markCycles({ graph, problems }: GraphResult): Uint8Array {
  const marks = new Uint8Array(graph.size).fill(1);
  for (const step of graph.topological) marks[step] = 0;
  for (const problem of problems) if (problem.kind === "cycle") marks[problem.path[0]!] = 1;
  const { offsets, targets } = graph.dependencies;
  for (const step of graph.topological) {
    for (let edge = offsets[step]!; edge < offsets[step + 1]!; edge++) marks[step]! |= marks[targets[edge]!]!;
  }
  return marks;
}

function stepsWithUnknownDependency(problems: readonly GraphProblem[]): ReadonlySet<number> {
  const stranded = new Set<number>();
  for (const problem of problems) if (problem.kind === "unknown-dependency") stranded.add(problem.step);
  return stranded;
}
