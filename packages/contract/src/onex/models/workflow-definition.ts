// The models of an ONEX definition: metadata, graph and rules. The graph is kept and has no effect on a run.

import type { Json } from "@segno/kernel";
import { ExecutionMode, FailureRecoveryStrategy } from "@segno/planner";
import type { z } from "zod";

import { anyText, oneOf, json, string, boolean } from "../../models/zod-helpers.ts";
import { openMap, wholeNumberFrom } from "./open-map.ts";
import { semVerSchema, type RawSemVer } from "./sem-ver.ts";

export interface RawWorkflowDefinition {
  readonly version: RawSemVer;
  readonly workflow_metadata: RawMetadata;
  readonly execution_graph: RawExecutionGraph;
  readonly coordination_rules?: RawCoordinationRules;
  readonly compensation_enabled?: Json;
  readonly saga_pattern?: Json;
  readonly checkpoint_enabled?: Json;
}

export interface RawMetadata {
  readonly version: RawSemVer;
  readonly workflow_name: string;
  readonly workflow_version: RawSemVer;
  readonly description: string;
  readonly execution_mode?: ExecutionMode;
  readonly timeout_ms?: number;
}

export interface RawExecutionGraph {
  readonly version: RawSemVer;
  /** Nodes may have any shape; the loader does not check them (ruling 57). */
  readonly nodes?: Json;
}

export interface RawCoordinationRules {
  readonly version: RawSemVer;
  readonly synchronization_points?: Json;
  readonly parallel_execution_allowed?: boolean;
  readonly failure_recovery_strategy?: FailureRecoveryStrategy;
  readonly max_retries?: Json;
  readonly retry_delay_ms?: Json;
}

const version = semVerSchema.meta({ description: "The version of this part." });

const metadataShape = {
  version,
  workflow_name: string("a name").meta({ description: "The name of the workflow." }),
  workflow_version: semVerSchema.meta({ description: "The version of the workflow." }),
  description: anyText().meta({ description: "For people." }),
  execution_mode: oneOf(...Object.values(ExecutionMode))
    .meta({ description: "`conditional` and `streaming` are reserved and refused.", default: "sequential" })
    .exactOptional(),
  timeout_ms: wholeNumberFrom(1000)
    .meta({ description: "Limits the duration of the workflow.", default: 600_000 })
    .exactOptional(),
};

const graphShape = {
  version,
  nodes: json.meta({ description: "Kept unchanged, without effect.", default: [] }).exactOptional(),
};

const rulesShape = {
  version,
  synchronization_points: json.meta({ description: "Reserved.", default: [] }).exactOptional(),
  parallel_execution_allowed: boolean().meta({ description: "Kept, without effect.", default: true }).exactOptional(),
  failure_recovery_strategy: oneOf(...Object.values(FailureRecoveryStrategy))
    .meta({ description: "Kept, without effect.", default: "RETRY" })
    .exactOptional(),
  max_retries: json.meta({ description: "Reserved.", default: 3 }).exactOptional(),
  retry_delay_ms: json.meta({ description: "Reserved.", default: 1000 }).exactOptional(),
};

const metadataSchema: z.ZodType<RawMetadata> = openMap(
  metadataShape,
  "the metadata: a map with `version`, `workflow_name`, `workflow_version` and `description`",
).meta({ id: "WorkflowMetadata" });

const graphSchema: z.ZodType<RawExecutionGraph> = openMap(graphShape, "a graph: a map of `version` and `nodes`").meta({
  id: "ExecutionGraph",
});

const rulesSchema: z.ZodType<RawCoordinationRules> = openMap(rulesShape, "rules: a map with `version`").meta({
  id: "CoordinationRules",
});

const definitionShape = {
  version,
  workflow_metadata: metadataSchema.meta({ description: "The metadata and the execution mode of the workflow." }),
  execution_graph: graphSchema.meta({
    description: "For other tools, without effect; only the steps determine what runs.",
  }),
  coordination_rules: rulesSchema.meta({ description: "Kept, without effect." }).exactOptional(),
  compensation_enabled: json.meta({ description: "Reserved.", default: false }).exactOptional(),
  saga_pattern: json.meta({ description: "Reserved.", default: null }).exactOptional(),
  checkpoint_enabled: json.meta({ description: "Reserved.", default: false }).exactOptional(),
};

/** The keys of all maps of a definition. */
export const DEFINITION_KEYS: readonly string[] = [definitionShape, metadataShape, graphShape, rulesShape].flatMap(
  (shape) => Object.keys(shape),
);

export const workflowDefinitionSchema: z.ZodType<RawWorkflowDefinition> = openMap(
  definitionShape,
  "a definition: a map with `version`, `workflow_metadata` and `execution_graph`",
).meta({ id: "WorkflowDefinition" });
