// @segno/planner: the pure planner. It turns steps into actions and runs nothing.

export { ValidationError, type PlannerProblem } from "./errors/validation-error.ts";
export type { IdAndClock } from "./model/id-and-clock.ts";
export {
  ActionType,
  BranchCondition,
  ErrorAction,
  ExecutionMode,
  FailureRecoveryStrategy,
  FailureStrategy,
  StepType,
  WorkflowState,
} from "./model/vocabulary.ts";
export { semVer, type SemVer, type SemVerFields } from "./model/sem-ver.ts";
export { isWorkflowStep, workflowStep, type WorkflowStep, type WorkflowStepFields } from "./model/workflow-step.ts";
export {
  isWorkflowDefinition,
  workflowDefinition,
  workflowDefinitionMetadata,
  type WorkflowDefinition,
  type WorkflowDefinitionFields,
  type WorkflowDefinitionMetadata,
  type WorkflowDefinitionMetadataFields,
} from "./model/workflow-definition.ts";
export { coordinationRules, type CoordinationRules, type CoordinationRulesFields } from "./model/coordination-rules.ts";
export {
  executionGraph,
  workflowNode,
  type ExecutionGraph,
  type ExecutionGraphFields,
  type WorkflowNode,
  type WorkflowNodeFields,
} from "./model/execution-graph.ts";
export {
  isOrchestratorInput,
  orchestratorInput,
  type OrchestratorInput,
  type OrchestratorInputFields,
} from "./model/orchestrator-input.ts";
export { action, isAction, type Action, type ActionFields } from "./model/action.ts";
export { executeWorkflow } from "./plan/execute-workflow.ts";
export { getExecutionOrder, type ExecutionOrderOptions } from "./plan/get-execution-order.ts";
export type { PlanOptions, ProcessOptions } from "./plan/plan-options.ts";
export { validateWorkflowDefinition } from "./plan/validate-workflow-definition.ts";
export type { StepError, WorkflowExecutionResult } from "./plan/workflow-execution-result.ts";
export { NodeOrchestrator } from "./orchestrator/node-orchestrator.ts";
export type { OrchestratorMetrics, OrchestratorOutput } from "./orchestrator/orchestrator-output.ts";
export { workflowContext } from "./orchestrator/workflow-context.ts";
