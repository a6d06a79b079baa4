// segno/planner: the pure planner, with ids from the cryptographic generator and the system's clock. A program that wants the
// same plan twice gives its own ids and its own clock.

import "@segno/contract/node-version";
import { randomUUID } from "node:crypto";
import {
  action as pureAction,
  executeWorkflow as pureExecuteWorkflow,
  NodeOrchestrator as PureOrchestrator,
  orchestratorInput as pureOrchestratorInput,
  workflowStep as pureWorkflowStep,
  type Action,
  type ActionFields,
  type OrchestratorInput,
  type OrchestratorInputFields,
  type PlanOptions,
  type IdAndClock,
  type WorkflowDefinition,
  type WorkflowExecutionResult,
  type WorkflowStep,
  type WorkflowStepFields,
} from "@segno/planner";

export {
  ActionType,
  BranchCondition,
  coordinationRules,
  ErrorAction,
  executionGraph,
  ExecutionMode,
  FailureRecoveryStrategy,
  FailureStrategy,
  getExecutionOrder,
  isAction,
  isOrchestratorInput,
  isWorkflowDefinition,
  isWorkflowStep,
  semVer,
  StepType,
  validateWorkflowDefinition,
  ValidationError,
  workflowContext,
  workflowDefinition,
  workflowDefinitionMetadata,
  workflowNode,
  WorkflowState,
  type Action,
  type ActionFields,
  type CoordinationRules,
  type CoordinationRulesFields,
  type ExecutionGraph,
  type ExecutionGraphFields,
  type ExecutionOrderOptions,
  type OrchestratorInput,
  type OrchestratorInputFields,
  type OrchestratorMetrics,
  type OrchestratorOutput,
  type PlannerProblem,
  type ProcessOptions,
  type SemVer,
  type SemVerFields,
  type IdAndClock,
  type StepError,
  type WorkflowDefinition,
  type WorkflowDefinitionFields,
  type WorkflowDefinitionMetadata,
  type WorkflowDefinitionMetadataFields,
  type WorkflowExecutionResult,
  type WorkflowNode,
  type WorkflowNodeFields,
  type WorkflowStep,
  type WorkflowStepFields,
} from "@segno/planner";

/** The planner's options, of which ids and clock may be left out. */
export type ExecuteWorkflowOptions = Omit<PlanOptions, keyof IdAndClock> & Partial<IdAndClock>;

/** Plans a workflow and returns its actions. It runs no step; an `ActionExecutor` runs the actions. */
export function executeWorkflow(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  workflowId: string,
  options: ExecuteWorkflowOptions = {},
): Promise<WorkflowExecutionResult> {
  return pureExecuteWorkflow(definition, steps, workflowId, options as PlanOptions, SYSTEM);
}

/** Makes a checked step from fields. A step without an id gets a random one, or one of `newId`. */
export function workflowStep(
  fields: WorkflowStepFields,
  sources: Partial<Pick<IdAndClock, "newId">> = {},
): WorkflowStep {
  return pureWorkflowStep(fields, toSources(sources));
}

/** Makes a checked input of an orchestrator from fields. */
export function orchestratorInput(
  fields: OrchestratorInputFields,
  sources: Partial<IdAndClock> = {},
): OrchestratorInput {
  return pureOrchestratorInput(fields, toSources(sources));
}

/** Makes a checked action from fields, for programs that do not get it from the planner. */
export function action(fields: ActionFields, sources: Partial<IdAndClock> = {}): Action {
  return pureAction(fields, toSources(sources));
}

/** Plans workflows as a node: an orchestrator input in, an orchestrator output out. */
export class NodeOrchestrator extends PureOrchestrator {
  constructor(sources: Partial<IdAndClock> = {}) {
    super(toSources(sources));
  }
}

const SYSTEM: IdAndClock = { newId: randomUUID, now: Date.now };

/** Each source is called as a method of the given object, so that it may use that object's state. */
function toSources(given: Partial<IdAndClock>): IdAndClock {
  return {
    newId: given.newId === undefined ? SYSTEM.newId : () => given.newId!(),
    now: given.now === undefined ? SYSTEM.now : () => given.now!(),
  };
}
