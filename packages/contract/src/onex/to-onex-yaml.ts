// The planner's models as an ONEX contract. Every field is written, those that have their default and the reserved ones
// too: what a file says does not depend on what was the default when it was written.
//
//   T1. What is written can be loaded again, to models that are equal. A list of steps that would be too large in full is written
//       with a line for each step and without what is a default; what is too large even so is refused.

import { isJsonArray, isJsonObject, SegnoError, type Json } from "@segno/kernel";
import {
  workflowStep,
  type ExecutionGraph,
  type WorkflowDefinition,
  type WorkflowNode,
  type WorkflowStep,
  type WorkflowStepFields,
} from "@segno/planner";
import { Document, visit } from "yaml";
import type { YAMLMap } from "yaml";

import { agentDocument } from "../convert/document-from-definition.ts";
import { mapValues } from "../convert/optional-fields.ts";
import { DOCUMENT_LIMITS } from "../document/document-limits.ts";
import { groupedDigits } from "../grouped-digits.ts";
import { documentKey } from "./document-key.ts";
import type { OnexContract } from "./load-onex-contract.ts";
import { SEM_VER_KEYS } from "./models/sem-ver.ts";

/** Comments, and keys that the loader ignored, are not kept. */
export function toOnexYaml(contract: OnexContract): string {
  const { steps } = contract;
  for (const form of [IN_FULL, SHORT]) {
    // Such lists are not even written: that alone would take its time.
    if (steps.length * form.stepBytesMin > DOCUMENT_LIMITS.bytes) continue;
    const text = renderContract(contract, form);
    if (Buffer.byteLength(text) <= DOCUMENT_LIMITS.bytes) return text;
  }
  const limit = groupedDigits(DOCUMENT_LIMITS.bytes);
  throw new SegnoError(
    "CONTRACT_TOO_LARGE",
    `a contract has at most ${limit} bytes (1 MiB), and ${groupedDigits(steps.length)} steps take more; use several contracts`,
  );
}

/** A way to write steps. */
interface Form {
  /** No step takes less. */
  readonly stepBytesMin: number;
  readonly isOnOneLine: boolean;
  readonly stepDocument: (step: WorkflowStep) => object;
}

const IN_FULL: Form = { stepBytesMin: 400, isOnOneLine: false, stepDocument: toDocumentKeys };
const SHORT: Form = { stepBytesMin: 120, isOnOneLine: true, stepDocument: withoutDefaults };

function renderContract({ definition, steps, agents }: OnexContract, { stepDocument, isOnOneLine }: Form): string {
  const content = {
    workflow_coordination: {
      workflow_definition: definitionDocument(definition),
      steps: steps.map((step) => stepDocument(step)),
    },
    ...(agents === undefined ? {} : { segno: { agents: mapValues(agents, agentDocument) } }),
  };
  const document = new Document(content, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  visit(document, { Map: (_, map) => void (map.flow = isVersion(map)) });
  if (isOnOneLine) onOneLine(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function onOneLine(document: Document): void {
  visit(document.getIn(["workflow_coordination", "steps"]) as YAMLMap, {
    Map: (_, step) => {
      step.flow = true;
      return visit.SKIP;
    },
  });
}

const NO_ID = "00000000-0000-4000-8000-000000000000";
const DEFAULTS: WorkflowStep = workflowStep({ stepName: "step", stepType: "custom" }, { newId: () => NO_ID });
/** The fields that identify a step; the document always has them. */
const IDENTITY: ReadonlySet<string> = new Set<keyof WorkflowStepFields>([
  "stepId",
  "correlationId",
  "stepName",
  "stepType",
]);

function withoutDefaults(step: WorkflowStep): object {
  const written = Object.entries(step).filter(
    ([field, value]) => IDENTITY.has(field) || !isDefault(field, value as Json),
  );
  return toDocumentKeys(Object.fromEntries(written));
}

function isDefault(field: string, value: Json): boolean {
  return JSON.stringify(value) === JSON.stringify(DEFAULTS[field as keyof WorkflowStep]);
}

function definitionDocument(definition: WorkflowDefinition): object {
  const { workflowMetadata, executionGraph, coordinationRules } = definition;
  return {
    ...toDocumentKeys(definition),
    workflow_metadata: toDocumentKeys(workflowMetadata),
    execution_graph: { ...toDocumentKeys(executionGraph), nodes: nodesDocument(executionGraph.nodes) },
    coordination_rules: toDocumentKeys(coordinationRules),
  };
}

/** In a list of nodes what is a map is a node; everything else is as it was written. */
function nodesDocument(nodes: ExecutionGraph["nodes"]): unknown {
  return isJsonArray(nodes as Json) ? (nodes as readonly (WorkflowNode | Json)[]).map(nodeDocument) : nodes;
}

function nodeDocument(node: WorkflowNode | Json): unknown {
  if (!isJsonObject(node as Json)) return node;
  const { reserved, ...fields } = node as WorkflowNode;
  return { ...toDocumentKeys(fields), ...reserved, ...toDocumentKeys(fields) };
}

function toDocumentKeys(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [documentKey(field), value as unknown]));
}

/** Versions stand on one line. */
function isVersion(map: YAMLMap): boolean {
  return map.items.length === SEM_VER_KEYS.length && SEM_VER_KEYS.every((key) => map.has(key));
}
