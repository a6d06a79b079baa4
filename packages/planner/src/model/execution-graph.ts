// The execution graph of a definition: kept for whoever generates contracts, and never consulted (PLAN-16).
//
// The source names a node's fields by example only. A node may lack them, or be no map at all; whatever somebody says about a
// node is kept, under its own name or in `reserved` by a document's names, and is checked for being JSON and nothing more
// (ruling 57).

import type { Json, JsonObject } from "@segno/kernel";
import { build, nestedModel } from "./build.ts";
import { anyJson, jsonObject, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { BrandedModel } from "./model-brand.ts";
import { semVerField, type SemVer, type SemVerFields } from "./sem-ver.ts";

export interface WorkflowNodeFields {
  readonly nodeId?: Json | undefined;
  readonly nodeType?: Json | undefined;
  readonly description?: Json | undefined;
  readonly reserved?: JsonObject | undefined;
}

interface GraphNode {
  /** Absent where nobody wrote them. */
  readonly nodeId?: Json;
  readonly nodeType?: Json;
  readonly description: Json;
  readonly reserved: JsonObject;
}

export type WorkflowNode = GraphNode & BrandedModel<"workflow node">;

export interface ExecutionGraphFields {
  readonly version: SemVerFields;
  /** A list of nodes; anything else is kept as it is. */
  readonly nodes?: readonly (WorkflowNodeFields | Json)[] | Json | undefined;
}

export type ExecutionGraph = {
  readonly version: SemVer;
  /** What is a map in a list of nodes is a node; everything else is what was written. */
  readonly nodes: readonly (WorkflowNode | Json)[] | Json;
} & BrandedModel<"execution graph">;

const NOTHING: JsonObject = Object.freeze({});
const NO_NODES: readonly WorkflowNode[] = Object.freeze([]);

export function workflowNode(fields: WorkflowNodeFields): WorkflowNode {
  return build("workflow node", fields, readNode);
}

export function executionGraph(fields: ExecutionGraphFields): ExecutionGraph {
  return build("execution graph", fields, readGraph);
}

const NODE_FIELDS: ReadonlySet<string> = new Set<keyof WorkflowNodeFields>([
  "nodeId",
  "nodeType",
  "description",
  "reserved",
]);

function readNode(fields: FieldReader): GraphNode {
  const nodeId = fields.optional("nodeId", anyJson);
  const nodeType = fields.optional("nodeType", anyJson);
  return {
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(nodeType === undefined ? {} : { nodeType }),
    description: fields.readOrKeep("description", null),
    reserved: fields.or("reserved", jsonObject, NOTHING),
    ...fields.others(NODE_FIELDS, anyJson),
  };
}

const node: Check<WorkflowNode> = nestedModel("workflow node", readNode);

/** Only the maps of a list can be nodes. */
const nodes: Check<ExecutionGraph["nodes"]> = (value, place) => {
  if (!Array.isArray(value)) return anyJson(value, place);
  const kept: (WorkflowNode | Json)[] = [];
  for (let index = 0; index < value.length; index++) {
    const each: unknown = value[index];
    const check = typeof each === "object" && each !== null && !Array.isArray(each) ? node : anyJson;
    kept.push(check(each, place.at(index)) as WorkflowNode | Json);
  }
  return Object.freeze(kept);
};

function readGraph(fields: FieldReader): Omit<ExecutionGraph, keyof BrandedModel<"execution graph">> {
  const written = fields.optional("nodes", nodes);
  return { version: fields.required("version", semVerField), nodes: written === undefined ? NO_NODES : written };
}

export const executionGraphField: Check<ExecutionGraph> = nestedModel("execution graph", readGraph);
