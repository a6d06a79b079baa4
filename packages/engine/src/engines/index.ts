// @segno/engine/engines: workflows of tasks, and the engines that run them.

import "@segno/contract/node-version";

export { createEngine, type EngineType } from "./create-engine.ts";
export { ExecutionEngine, type ExecuteOptions } from "./execution-engine.ts";
export type { ExecutionEngineOptions } from "./execution-engine-options.ts";
export { ParallelEngine, type ParallelEngineOptions } from "./parallel-engine.ts";
export { SequentialEngine } from "./sequential-engine.ts";
export type {
  TaskAction,
  TaskCondition,
  TaskContext,
  TaskDefinition,
  TaskFunction,
  TaskModule,
  TaskOptions,
} from "./task-definition.ts";
export { TaskState, type WorkflowState } from "./task-state.ts";
export { WorkflowDefinition, type OrderOptions } from "./workflow-definition.ts";
export type { WorkflowHandle } from "./workflow-handle.ts";
export type { TaskResult, WorkflowResult, ResultTimes } from "./workflow-result.ts";
export type { ExecutionOrder, OnCycle } from "./execution-order.ts";
