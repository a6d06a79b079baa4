// Creates a task engine by the name of its type (ENGINES-2).

import { closest, SegnoError } from "@segno/kernel";
import type { ExecutionEngineOptions } from "./execution-engine-options.ts";
import type { ExecutionEngine } from "./execution-engine.ts";
import { ParallelEngine, type ParallelEngineOptions } from "./parallel-engine.ts";
import { SequentialEngine } from "./sequential-engine.ts";

/** Whether tasks run side by side or one after the other. */
export type EngineType = "sequential" | "parallel";

const TYPES: readonly EngineType[] = ["sequential", "parallel"];

/**
 * Creates an engine for workflows of tasks: `parallel`, the default, or `sequential`.
 *
 * @example
 * ```ts
 * import { createEngine, WorkflowDefinition } from "segno/engines";
 *
 * const report = new WorkflowDefinition("report");
 * report.addTask("orders", () => [120, 80]);
 * report.addTask("count", ({ orders }) => (orders as number[]).length, { dependencies: ["orders"] });
 *
 * await using engine = createEngine("parallel", { maxWorkers: 2 });
 * const { success, context } = await engine.execute(report);
 * console.log(success, context["count"]); // true 2
 * ```
 */
export function createEngine(type?: "parallel", options?: ParallelEngineOptions): ParallelEngine;
export function createEngine(type: "sequential", options?: ExecutionEngineOptions): SequentialEngine;
export function createEngine(type?: EngineType, options?: ParallelEngineOptions): ExecutionEngine;
export function createEngine(type: EngineType = "parallel", options: ParallelEngineOptions = {}): ExecutionEngine {
  switch (type) {
    case "sequential":
      return new SequentialEngine(options);
    case "parallel":
      return new ParallelEngine(options);
  }
  const name = String(type);
  const near = closest(name, TYPES);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new SegnoError("ENGINE_TYPE_UNKNOWN", `there is no task engine of the type "${name}"${hint}`);
}
