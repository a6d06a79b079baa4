// Converts a document of the right shape to the planner's models. Their factories add the defaults and check the values again.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";
import {
  workflowDefinition,
  workflowStep,
  type ExecutionGraphFields,
  type IdAndClock,
  type WorkflowDefinition,
  type WorkflowDefinitionFields,
  type WorkflowNodeFields,
  type WorkflowStep,
  type WorkflowStepFields,
} from "@segno/planner";

import { toFields } from "./document-key.ts";
import type { RawExecutionGraph, RawWorkflowDefinition } from "./models/workflow-definition.ts";
import type { RawWorkflowStep } from "./models/workflow-step.ts";

export function definitionFrom(document: RawWorkflowDefinition): WorkflowDefinition {
  const { workflow_metadata, execution_graph, coordination_rules, ...same } = document;
  const fields = {
    ...toFields(same),
    workflowMetadata: toFields(workflow_metadata),
    executionGraph: graphFields(execution_graph),
    ...(coordination_rules === undefined ? {} : { coordinationRules: toFields(coordination_rules) }),
  };
  return workflowDefinition(fields as unknown as WorkflowDefinitionFields);
}

export function stepFrom(document: RawWorkflowStep, sources: Pick<IdAndClock, "newId">): WorkflowStep {
  return workflowStep(toFields(document) as unknown as WorkflowStepFields, sources);
}

function graphFields({ version, nodes }: RawExecutionGraph): ExecutionGraphFields {
  return { version, nodes: isJsonArray(nodes) ? nodes.map(nodeFields) : nodes };
}

/** Keeps keys without a field in the model under their names in the document (CONTRACT-5). Keeps a value that is not a map as it is. */
function nodeFields(node: Json): WorkflowNodeFields | Json {
  if (!isJsonObject(node)) return node;
  const { node_id: nodeId, node_type: nodeType, description, ...reserved } = node;
  return { nodeId, nodeType, description, reserved };
}
