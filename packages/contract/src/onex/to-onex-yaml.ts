// The planner's models as an ONEX contract. Every field is written, those that have their default and the reserved ones
// too: what a file says does not depend on what was the default when it was written.

import type { WorkflowDefinition, WorkflowNode } from "@segno/planner";
import { Document, visit } from "yaml";
import type { YAMLMap } from "yaml";

import { agentDocument } from "../convert/document-from-definition.ts";
import { valuesOf } from "../convert/written-fields.ts";
import { documentKey } from "./document-key.ts";
import type { OnexContract } from "./load-onex-contract.ts";
import { SEM_VER_KEYS } from "./models/sem-ver.ts";

/** Loads again to models that are equal. Comments, and keys that the loader ignored, are not kept. */
export function toOnexYaml({ definition, steps, agents }: OnexContract): string {
  const content = {
    workflow_coordination: { workflow_definition: definitionDocument(definition), steps: steps.map(mapOf) },
    ...(agents === undefined ? {} : { segno: { agents: valuesOf(agents, agentDocument) } }),
  };
  const document = new Document(content, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  visit(document, { Map: (_, map) => void (map.flow = isVersion(map)) });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function definitionDocument(definition: WorkflowDefinition): object {
  const { workflowMetadata, executionGraph, coordinationRules } = definition;
  return {
    ...mapOf(definition),
    workflow_metadata: mapOf(workflowMetadata),
    execution_graph: { ...mapOf(executionGraph), nodes: executionGraph.nodes.map(nodeDocument) },
    coordination_rules: mapOf(coordinationRules),
  };
}

function nodeDocument({ reserved, ...fields }: WorkflowNode): object {
  return { ...mapOf(fields), ...reserved, ...mapOf(fields) };
}

function mapOf(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [documentKey(field), value as unknown]));
}

/** Versions stand on one line. */
function isVersion(map: YAMLMap): boolean {
  return map.items.length === SEM_VER_KEYS.length && SEM_VER_KEYS.every((key) => map.has(key));
}
