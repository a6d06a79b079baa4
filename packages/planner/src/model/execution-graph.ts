// The execution graph of a definition: kept for whoever generates contracts, and never consulted (PLAN-16).
//
// The source names a node's fields by example only. Whatever else somebody says about a node is kept, under its own name or
// in `reserved` by a document's names, and is checked for being JSON and nothing more.

import type { JsonObject } from "@segno/kernel";
import { build, nested } from "./build.ts";
import { anyJson, jsonObject, listOf, text, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { Built } from "./mark.ts";
import { semVerField, type SemVer, type SemVerFields } from "./sem-ver.ts";

export interface WorkflowNodeFields {
  readonly nodeId: string;
  readonly nodeType: string;
  readonly description?: string | null | undefined;
  readonly reserved?: JsonObject | undefined;
}

export type WorkflowNode = {
  readonly nodeId: string;
  readonly nodeType: string;
  readonly description: string | null;
  readonly reserved: JsonObject;
} & Built<"workflow node">;

export interface ExecutionGraphFields {
  readonly version: SemVerFields;
  readonly nodes?: readonly WorkflowNodeFields[] | undefined;
}

export type ExecutionGraph = {
  readonly version: SemVer;
  readonly nodes: readonly WorkflowNode[];
} & Built<"execution graph">;

const anyText = text();
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

function readNode(fields: FieldReader): Omit<WorkflowNode, keyof Built<"workflow node">> {
  return {
    nodeId: fields.required("nodeId", anyText),
    nodeType: fields.required("nodeType", anyText),
    description: fields.orNull("description", anyText),
    reserved: fields.or("reserved", jsonObject, NOTHING),
    ...fields.others(NODE_FIELDS, anyJson),
  };
}

const nodes: Check<readonly WorkflowNode[]> = listOf(nested("workflow node", readNode));

function readGraph(fields: FieldReader): Omit<ExecutionGraph, keyof Built<"execution graph">> {
  return { version: fields.required("version", semVerField), nodes: fields.or("nodes", nodes, NO_NODES) };
}

export const executionGraphField: Check<ExecutionGraph> = nested("execution graph", readGraph);
