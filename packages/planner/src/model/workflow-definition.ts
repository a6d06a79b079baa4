// A workflow's definition: its name, versions, mode and timeout. Steps are not part of it; they come beside it.

import type { Json } from "@segno/kernel";
import { build, nestedModel } from "./build.ts";
import { integer, oneOf, text, type Check } from "./check.ts";
import {
  coordinationRulesField,
  defaultRules,
  type CoordinationRules,
  type CoordinationRulesFields,
} from "./coordination-rules.ts";
import { executionGraphField, type ExecutionGraph, type ExecutionGraphFields } from "./execution-graph.ts";
import type { FieldReader } from "./field-reader.ts";
import { hasBrand, type BrandedModel } from "./model-brand.ts";
import { semVerField, type SemVer, type SemVerFields } from "./sem-ver.ts";
import { ExecutionMode } from "./vocabulary.ts";

/** The fields of `workflowDefinitionMetadata`. */
export interface WorkflowDefinitionMetadataFields {
  readonly version: SemVerFields;
  readonly workflowName: string;
  readonly workflowVersion: SemVerFields;
  readonly description: string;
  readonly executionMode?: ExecutionMode | undefined;
  readonly timeoutMs?: number | undefined;
}

interface Metadata {
  readonly version: SemVer;
  readonly workflowName: string;
  readonly workflowVersion: SemVer;
  readonly description: string;
  /** Advisory: the mode that a call asks for takes precedence. */
  readonly executionMode: ExecutionMode;
  readonly timeoutMs: number;
}

/** Name, version and mode of a planned workflow. */
export type WorkflowDefinitionMetadata = Metadata & BrandedModel<"workflow metadata">;

/** The fields of `workflowDefinition`. */
export interface WorkflowDefinitionFields {
  readonly version: SemVerFields;
  readonly workflowMetadata: WorkflowDefinitionMetadataFields;
  readonly executionGraph: ExecutionGraphFields;
  readonly coordinationRules?: CoordinationRulesFields | undefined;
  readonly compensationEnabled?: Json | undefined;
  readonly sagaPattern?: Json | undefined;
  readonly checkpointEnabled?: Json | undefined;
}

interface PlannerDefinition {
  readonly version: SemVer;
  readonly workflowMetadata: WorkflowDefinitionMetadata;
  readonly executionGraph: ExecutionGraph;
  readonly coordinationRules: CoordinationRules;
  // Reserved: a value of any type is kept (ruling 57).
  readonly compensationEnabled: Json;
  readonly sagaPattern: Json;
  readonly checkpointEnabled: Json;
}

/** A workflow as the planner reads it, without its steps. */
export type WorkflowDefinition = PlannerDefinition & BrandedModel<"workflow definition">;

const workflowName = text(undefined, "empty-name");
const anyText = text();
/** Also used for the mode that a call asks for. */
export const executionModeField: Check<ExecutionMode> = oneOf(ExecutionMode, "unknown-mode");
const timeoutMs = integer(1000);

/** Makes checked metadata from fields. Throws a `ValidationError` if a field is wrong. */
export function workflowDefinitionMetadata(fields: WorkflowDefinitionMetadataFields): WorkflowDefinitionMetadata {
  return build("workflow metadata", fields, readMetadata);
}

/** Makes a checked definition from fields. Throws a `ValidationError` if a field is wrong. */
export function workflowDefinition(fields: WorkflowDefinitionFields): WorkflowDefinition {
  return build("workflow definition", fields, readDefinition);
}

/** Whether a value is a definition that `workflowDefinition` made. */
export function isWorkflowDefinition(value: unknown): value is WorkflowDefinition {
  return hasBrand(value, "workflow definition");
}

function readMetadata(fields: FieldReader): Metadata {
  return {
    version: fields.required("version", semVerField),
    workflowName: fields.required("workflowName", workflowName),
    workflowVersion: fields.required("workflowVersion", semVerField),
    description: fields.required("description", anyText),
    executionMode: fields.withDefault("executionMode", executionModeField, ExecutionMode.SEQUENTIAL),
    timeoutMs: fields.withDefault("timeoutMs", timeoutMs, 600_000),
  };
}

const metadataField = nestedModel("workflow metadata", readMetadata);

function readDefinition(fields: FieldReader): PlannerDefinition {
  return {
    version: fields.required("version", semVerField),
    workflowMetadata: fields.required("workflowMetadata", metadataField),
    executionGraph: fields.required("executionGraph", executionGraphField),
    coordinationRules: fields.optional("coordinationRules", coordinationRulesField) ?? defaultRules(),
    compensationEnabled: fields.readOrKeep("compensationEnabled", false),
    sagaPattern: fields.readOrKeep("sagaPattern", null),
    checkpointEnabled: fields.readOrKeep("checkpointEnabled", false),
  };
}
