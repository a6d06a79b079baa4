// The models of an ONEX definition: metadata, graph and rules. The graph is kept and has no effect on a run.

import type { Json } from "@segno/kernel";
import { ExecutionMode, FailureRecoveryStrategy } from "@segno/planner";
import type { z } from "zod";

import { anyText, oneOf, json, string, boolean } from "../../models/zod-helpers.ts";
import { openMap, wholeNumberFrom } from "./open-map.ts";
import { semVerModel, type SemVerDocument } from "./sem-ver.ts";

export interface WorkflowDefinitionDocument {
  readonly version: SemVerDocument;
  readonly workflow_metadata: MetadataDocument;
  readonly execution_graph: ExecutionGraphDocument;
  readonly coordination_rules?: CoordinationRulesDocument;
  readonly compensation_enabled?: Json;
  readonly saga_pattern?: Json;
  readonly checkpoint_enabled?: Json;
}

export interface MetadataDocument {
  readonly version: SemVerDocument;
  readonly workflow_name: string;
  readonly workflow_version: SemVerDocument;
  readonly description: string;
  readonly execution_mode?: ExecutionMode;
  readonly timeout_ms?: number;
}

export interface ExecutionGraphDocument {
  readonly version: SemVerDocument;
  /** Nodes may have any shape; the loader does not check them (ruling 57). */
  readonly nodes?: Json;
}

export interface CoordinationRulesDocument {
  readonly version: SemVerDocument;
  readonly synchronization_points?: Json;
  readonly parallel_execution_allowed?: boolean;
  readonly failure_recovery_strategy?: FailureRecoveryStrategy;
  readonly max_retries?: Json;
  readonly retry_delay_ms?: Json;
}

const version = semVerModel.meta({ description: "The version of this part." });

const metadataShape = {
  version,
  workflow_name: string("a name").meta({ description: "What the workflow is called." }),
  workflow_version: semVerModel.meta({ description: "The version of the workflow." }),
  description: anyText().meta({ description: "For people." }),
  execution_mode: oneOf(...Object.values(ExecutionMode))
    .meta({ description: "`conditional` and `streaming` are reserved and refused.", default: "sequential" })
    .exactOptional(),
  timeout_ms: wholeNumberFrom(1000).meta({ description: "Bounds the workflow.", default: 600_000 }).exactOptional(),
};

const graphShape = {
  version,
  nodes: json.meta({ description: "Kept as they are; nothing looks into them.", default: [] }).exactOptional(),
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

const metadataModel: z.ZodType<MetadataDocument> = openMap(
  metadataShape,
  "the metadata: a map with `version`, `workflow_name`, `workflow_version` and `description`",
).meta({ id: "WorkflowMetadata" });

const graphModel: z.ZodType<ExecutionGraphDocument> = openMap(
  graphShape,
  "a graph: a map of `version` and `nodes`",
).meta({ id: "ExecutionGraph" });

const rulesModel: z.ZodType<CoordinationRulesDocument> = openMap(rulesShape, "rules: a map with `version`").meta({
  id: "CoordinationRules",
});

const definitionShape = {
  version,
  workflow_metadata: metadataModel.meta({ description: "What the workflow is, and how it goes." }),
  execution_graph: graphModel.meta({ description: "A picture for other tools; the steps alone say what runs." }),
  coordination_rules: rulesModel.meta({ description: "Kept, without effect." }).exactOptional(),
  compensation_enabled: json.meta({ description: "Reserved.", default: false }).exactOptional(),
  saga_pattern: json.meta({ description: "Reserved.", default: null }).exactOptional(),
  checkpoint_enabled: json.meta({ description: "Reserved.", default: false }).exactOptional(),
};

/** The keys of all maps of a definition. */
export const DEFINITION_KEYS: readonly string[] = [definitionShape, metadataShape, graphShape, rulesShape].flatMap(
  (shape) => Object.keys(shape),
);

export const workflowDefinitionModel: z.ZodType<WorkflowDefinitionDocument> = openMap(
  definitionShape,
  "a definition: a map with `version`, `workflow_metadata` and `execution_graph`",
).meta({ id: "WorkflowDefinition" });
