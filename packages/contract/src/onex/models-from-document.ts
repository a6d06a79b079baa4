// From a document that has the right shape to the planner's models. Their factories say what is absent, and check once more.

import {
  workflowDefinition,
  workflowStep,
  type ExecutionGraphFields,
  type Sources,
  type WorkflowDefinition,
  type WorkflowDefinitionFields,
  type WorkflowNodeFields,
  type WorkflowStep,
  type WorkflowStepFields,
} from "@segno/planner";

import { fieldsOf } from "./document-key.ts";
import type {
  ExecutionGraphDocument,
  WorkflowDefinitionDocument,
  WorkflowNodeDocument,
} from "./models/workflow-definition.ts";
import type { WorkflowStepDocument } from "./models/workflow-step.ts";

export function definitionFrom(document: WorkflowDefinitionDocument): WorkflowDefinition {
  const { workflow_metadata, execution_graph, coordination_rules, ...same } = document;
  const fields = {
    ...fieldsOf(same),
    workflowMetadata: fieldsOf(workflow_metadata),
    executionGraph: graphFields(execution_graph),
    ...(coordination_rules === undefined ? {} : { coordinationRules: fieldsOf(coordination_rules) }),
  };
  return workflowDefinition(fields as unknown as WorkflowDefinitionFields);
}

export function stepFrom(document: WorkflowStepDocument, sources: Pick<Sources, "newId">): WorkflowStep {
  return workflowStep(fieldsOf(document) as unknown as WorkflowStepFields, sources);
}

function graphFields({ version, nodes }: ExecutionGraphDocument): ExecutionGraphFields {
  return { version, nodes: nodes?.map(nodeFields) };
}

/** What the model has no field for is kept under the document's own keys (CONTRACT-5). */
function nodeFields({ node_id, node_type, description, ...reserved }: WorkflowNodeDocument): WorkflowNodeFields {
  return { nodeId: node_id, nodeType: node_type, description, reserved: reserved as WorkflowNodeFields["reserved"] };
}
