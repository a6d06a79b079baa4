// segno/engines: workflows of tasks, one after the other or side by side, in memory or in a store.

import "@segno/contract/node-version";

export {
  createEngine,
  ExecutionEngine,
  ParallelEngine,
  SequentialEngine,
  TaskState,
  WorkflowDefinition,
  type EngineType,
  type ExecuteOptions,
  type ExecutionEngineOptions,
  type ExecutionOrder,
  type OnCycle,
  type OrderOptions,
  type ParallelEngineOptions,
  type ResultTimes,
  type TaskAction,
  type TaskCondition,
  type TaskContext,
  type TaskDefinition,
  type TaskFunction,
  type TaskModule,
  type TaskOptions,
  type TaskResult,
  type WorkflowHandle,
  type WorkflowResult,
  type WorkflowState,
} from "@segno/engine/engines";
