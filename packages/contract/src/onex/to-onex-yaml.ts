// Writes the planner's models as an ONEX contract. It writes every field, defaults and reserved fields included, so that the meaning
// of a file does not change with a default.
//
//   T1. The text loads again to equal models. If all fields would make the list of steps too large, each step is one line without
//       defaults; if that is still too large, the function throws.

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

import { toRawAgent } from "../convert/document-from-definition.ts";
import { mapValues } from "../convert/optional-fields.ts";
import { DOCUMENT_LIMITS } from "../document/document-limits.ts";
import { groupedDigits } from "../text/grouped-digits.ts";
import { documentKey } from "./document-key.ts";
import type { OnexContract } from "./load-onex-contract.ts";
import { SEM_VER_KEYS } from "./models/sem-ver.ts";

/** Comments and keys that the loader ignored are lost. */
export function toOnexYaml(contract: OnexContract): string {
  const { steps } = contract;
  for (const form of [IN_FULL, SHORT]) {
    // A list that is certainly too large in this form is not written, because writing it would take long.
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

/** One of the two forms in which steps are written (T1). */
interface Form {
  /** The smallest size of a step in this form. */
  readonly stepBytesMin: number;
  readonly isOnOneLine: boolean;
  readonly stepDocument: (step: WorkflowStep) => object;
}

const IN_FULL: Form = { stepBytesMin: 400, isOnOneLine: false, stepDocument: toDocumentKeys };
const SHORT: Form = { stepBytesMin: 120, isOnOneLine: true, stepDocument: withoutDefaults };

function renderContract({ definition, steps, agents }: OnexContract, { stepDocument, isOnOneLine }: Form): string {
  const content = {
    workflow_coordination: {
      workflow_definition: toRawDefinition(definition),
      steps: steps.map((step) => stepDocument(step)),
    },
    ...(agents === undefined ? {} : { segno: { agents: mapValues(agents, toRawAgent) } }),
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
/** The fields that identify a step; they are always written. */
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

function toRawDefinition(definition: WorkflowDefinition): object {
  const { workflowMetadata, executionGraph, coordinationRules } = definition;
  return {
    ...toDocumentKeys(definition),
    workflow_metadata: toDocumentKeys(workflowMetadata),
    execution_graph: { ...toDocumentKeys(executionGraph), nodes: toRawNodes(executionGraph.nodes) },
    coordination_rules: toDocumentKeys(coordinationRules),
  };
}

/** A map in a list of nodes is a node; any other value is kept as it was written. */
function toRawNodes(nodes: ExecutionGraph["nodes"]): unknown {
  return isJsonArray(nodes as Json) ? (nodes as readonly (WorkflowNode | Json)[]).map(toRawNode) : nodes;
}

function toRawNode(node: WorkflowNode | Json): unknown {
  if (!isJsonObject(node as Json)) return node;
  const { reserved, ...fields } = node as WorkflowNode;
  return { ...toDocumentKeys(fields), ...reserved, ...toDocumentKeys(fields) };
}

function toDocumentKeys(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [documentKey(field), value as unknown]));
}

/** Writes a version on one line. */
function isVersion(map: YAMLMap): boolean {
  return map.items.length === SEM_VER_KEYS.length && SEM_VER_KEYS.every((key) => map.has(key));
}
