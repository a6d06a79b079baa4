// The order of tasks: the kernel's graph over them, and its waves.
//
//   O1. Cycles and unknown dependencies are refused (ruling 14). On request the order leaves out the tasks of cycles
//       and their dependants; an unknown dependency is refused even then.
//   O2. A level has the tasks whose dependencies lie in earlier levels, in order of declaration (GRAPH-2).

import {
  findDependants,
  GraphBuilder,
  computeOrder,
  SegnoError,
  type Graph,
  type GraphResult,
  type Order,
} from "@segno/kernel";
import type { TaskDefinition } from "./task-definition.ts";
import type { TaskTable } from "./task-table.ts";

/** The order of the tasks of a workflow, as the kernel has it. */
export interface ExecutionOrder {
  /** By index in the graph. */
  readonly tasks: readonly TaskDefinition[];
  readonly graph: Graph;
  readonly order: Order;
}

/** How tasks of a cycle are handled: an error, or left out. */
export type OnCycle = "refuse" | "drop";

export function executionOrder(table: TaskTable, onCycle: OnCycle): ExecutionOrder {
  const result = buildGraph(table, table.all);
  const cycles = result.problems.flatMap((problem) => (problem.kind === "cycle" ? [problem.path] : []));
  if (cycles.length === 0) return toExecutionOrder(table.all, result.graph);
  if (onCycle === "refuse") throw cyclic(table.all, cycles);
  const tasks = withoutCycles(table.all, result.graph, cycles);
  return toExecutionOrder(tasks, buildGraph(table, tasks).graph);
}

function toExecutionOrder(tasks: readonly TaskDefinition[], graph: Graph): ExecutionOrder {
  return { tasks, graph, order: computeOrder(graph) };
}

function buildGraph(table: TaskTable, tasks: readonly TaskDefinition[]): GraphResult {
  const builder = new GraphBuilder();
  for (const task of tasks) {
    builder.add(task.id);
    for (const name of task.dependencies) builder.dependOn(table.dependency(task, name).id);
  }
  return builder.build();
}

/** Leaves out the tasks that the order never reached, tasks that depend on themselves, and all their dependants. */
function withoutCycles(
  tasks: readonly TaskDefinition[],
  graph: Graph,
  cycles: readonly (readonly number[])[],
): readonly TaskDefinition[] {
  const kept = new Set<number>(graph.topological);
  for (const [first] of cycles) for (const place of [first!, ...findDependants(graph, first!)]) kept.delete(place);
  return tasks.filter((_, place) => kept.has(place));
}

function cyclic(tasks: readonly TaskDefinition[], cycles: readonly (readonly number[])[]): SegnoError {
  const paths = cycles.map((path) => path.map((place) => `\`${tasks[place]!.name}\``).join(" -> "));
  return new SegnoError("TASK_CYCLE", `tasks depend on each other in a cycle: ${paths.join("; ")}`);
}
