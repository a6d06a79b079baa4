// segno/planner: the pure planner with what it lacks: ids from the cryptographic generator, and the system's clock. Whoever
// wants the same plan twice gives sources of their own.

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
  type PlanOptions as PurePlanOptions,
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

/** As the planner's own, and both sources may be left out. */
export type PlanOptions = Omit<PurePlanOptions, keyof IdAndClock> & Partial<IdAndClock>;

export function executeWorkflow(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  workflowId: string,
  options: PlanOptions = {},
): Promise<WorkflowExecutionResult> {
  return pureExecuteWorkflow(definition, steps, workflowId, options as PurePlanOptions, SYSTEM);
}

export function workflowStep(
  fields: WorkflowStepFields,
  sources: Partial<Pick<IdAndClock, "newId">> = {},
): WorkflowStep {
  return pureWorkflowStep(fields, toSources(sources));
}

export function orchestratorInput(
  fields: OrchestratorInputFields,
  sources: Partial<IdAndClock> = {},
): OrchestratorInput {
  return pureOrchestratorInput(fields, toSources(sources));
}

export function action(fields: ActionFields, sources: Partial<IdAndClock> = {}): Action {
  return pureAction(fields, toSources(sources));
}

export class NodeOrchestrator extends PureOrchestrator {
  constructor(sources: Partial<IdAndClock> = {}) {
    super(toSources(sources));
  }
}

const SYSTEM: IdAndClock = { newId: randomUUID, now: Date.now };

/** Called on what was given, so that a source may be a method of an object with a state. */
function toSources(given: Partial<IdAndClock>): IdAndClock {
  return {
    newId: given.newId === undefined ? SYSTEM.newId : () => given.newId!(),
    now: given.now === undefined ? SYSTEM.now : () => given.now!(),
  };
}
