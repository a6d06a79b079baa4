// segno/engines: workflows of tasks, one after the other or side by side, in memory or in a store.

import "@segno/contract/node-version";

export { createEngine, type EngineType } from "./engines/create-engine.ts";
export { ExecutionEngine, type ExecuteOptions } from "./engines/execution-engine.ts";
export type { ExecutionEngineOptions } from "./engines/execution-engine-options.ts";
export type { ExecutionOrder, OnCycle } from "./engines/execution-order.ts";
export { ParallelEngine, type ParallelEngineOptions } from "./engines/parallel-engine.ts";
export { SequentialEngine } from "./engines/sequential-engine.ts";
export type {
  TaskAction,
  TaskCondition,
  TaskContext,
  TaskDefinition,
  TaskFunction,
  TaskModule,
  TaskOptions,
} from "./engines/task-definition.ts";
export { TaskState, type WorkflowState } from "./engines/task-state.ts";
export { WorkflowDefinition, type OrderOptions } from "./engines/workflow-definition.ts";
export type { WorkflowHandle } from "./engines/workflow-handle.ts";
export type { ResultTimes, TaskResult, WorkflowResult } from "./engines/workflow-result.ts";
