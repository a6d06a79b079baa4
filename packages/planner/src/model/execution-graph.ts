// The execution graph of a definition. Models keep it for programs that generate contracts; the planner never reads it (PLAN-16).
//
// The source names the fields of a node by example only. A node may lack these fields and does not have to be a map. The model
// keeps each further field, under its own name or, with the document's name, in `reserved`, and checks only that the value is JSON
// (ruling 57).

import type { Json, JsonObject } from "@segno/kernel";
import { build, nestedModel } from "./build.ts";
import { anyJson, jsonObject, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { BrandedModel } from "./model-brand.ts";
import { semVerField, type SemVer, type SemVerFields } from "./sem-ver.ts";

/** The fields of `workflowNode`. */
export interface WorkflowNodeFields {
  readonly nodeId?: Json | undefined;
  readonly nodeType?: Json | undefined;
  readonly description?: Json | undefined;
  readonly reserved?: JsonObject | undefined;
}

interface GraphNode {
  /** Absent unless the author wrote it. */
  readonly nodeId?: Json;
  readonly nodeType?: Json;
  readonly description: Json;
  readonly reserved: JsonObject;
}

/** A node of an execution graph. */
export type WorkflowNode = GraphNode & BrandedModel<"workflow node">;

/** The fields of `executionGraph`. */
export interface ExecutionGraphFields {
  readonly version: SemVerFields;
  /** A list of nodes; anything else is kept as it is. */
  readonly nodes?: readonly (WorkflowNodeFields | Json)[] | Json | undefined;
}

/** The graph that an ONEX contract describes. */
export type ExecutionGraph = {
  readonly version: SemVer;
  /** A map in a list of nodes becomes a node; any other value is kept as it was written. */
  readonly nodes: readonly (WorkflowNode | Json)[] | Json;
} & BrandedModel<"execution graph">;

const NOTHING: JsonObject = Object.freeze({});
const NO_NODES: readonly WorkflowNode[] = Object.freeze([]);

/** Makes a checked node of a graph from fields. Throws a `ValidationError` if a field is wrong. */
export function workflowNode(fields: WorkflowNodeFields): WorkflowNode {
  return build("workflow node", fields, readNode);
}

/** Makes a checked graph from fields. Throws a `ValidationError` if a field is wrong. */
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
    reserved: fields.withDefault("reserved", jsonObject, NOTHING),
    ...fields.others(NODE_FIELDS, anyJson),
  };
}

const node: Check<WorkflowNode> = nestedModel("workflow node", readNode);

/** Only the maps of a list can be nodes. */
const nodes: Check<ExecutionGraph["nodes"]> = (value, path) => {
  if (!Array.isArray(value)) return anyJson(value, path);
  const kept: (WorkflowNode | Json)[] = [];
  for (let index = 0; index < value.length; index++) {
    const each: unknown = value[index];
    const check = typeof each === "object" && each !== null && !Array.isArray(each) ? node : anyJson;
    kept.push(check(each, path.at(index)) as WorkflowNode | Json);
  }
  return Object.freeze(kept);
};

function readGraph(fields: FieldReader): Omit<ExecutionGraph, keyof BrandedModel<"execution graph">> {
  const givenNodes = fields.optional("nodes", nodes);
  return { version: fields.required("version", semVerField), nodes: givenNodes === undefined ? NO_NODES : givenNodes };
}

export const executionGraphField: Check<ExecutionGraph> = nestedModel("execution graph", readGraph);
