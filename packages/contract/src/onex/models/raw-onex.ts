// The model of an ONEX contract. The key `segno` is an addition of this project: it declares the agents that run the steps, and other
// readers ignore it like every unknown key.

import type { z } from "zod";

import { agentsSchema, type RawAgent } from "../../models/agent.ts";
import { strictObject, list } from "../../models/zod-helpers.ts";
import { openMap } from "./open-map.ts";
import { SEM_VER_KEYS } from "./sem-ver.ts";
import { DEFINITION_KEYS, workflowDefinitionSchema, type RawWorkflowDefinition } from "./workflow-definition.ts";
import { STEP_KEYS, workflowStepSchema, type RawWorkflowStep } from "./workflow-step.ts";

export interface RawOnex {
  readonly workflow_coordination: RawCoordination;
  readonly segno?: RawSegno;
}

export interface RawCoordination {
  readonly workflow_definition: RawWorkflowDefinition;
  readonly steps?: readonly RawWorkflowStep[];
}

export interface RawSegno {
  readonly agents?: Readonly<Record<string, RawAgent>>;
}

const coordinationShape = {
  workflow_definition: workflowDefinitionSchema.meta({ description: "The definition of the workflow as a whole." }),
  steps: list(workflowStepSchema, "a list of steps")
    .meta({ description: "The steps, in declaration order.", default: [] })
    .exactOptional(),
};

const coordinationSchema: z.ZodType<RawCoordination> = openMap(
  coordinationShape,
  "a map of `workflow_definition` and `steps`",
).meta({ id: "WorkflowCoordination" });

const segnoSchema: z.ZodType<RawSegno> = strictObject(
  {
    agents: agentsSchema
      .meta({ description: "Where the agents come from: `NodeCompute`, `NodeEffect`, `NodeReducer` and the others." })
      .exactOptional(),
  },
  "a map of `agents`",
).meta({ id: "Segno" });

const shape = {
  workflow_coordination: coordinationSchema.meta({ description: "The workflow." }),
  segno: segnoSchema
    .meta({ description: "The settings that Segno needs to run it; other readers ignore them." })
    .exactOptional(),
};

/** All keys that have a meaning anywhere in the document. Any other key may be misspelt. */
export const ONEX_KEYS: ReadonlySet<string> = new Set([
  ...[shape, coordinationShape].flatMap((each) => Object.keys(each)),
  ...DEFINITION_KEYS,
  ...STEP_KEYS,
  ...SEM_VER_KEYS,
]);

export const onexSchema: z.ZodType<RawOnex> = openMap(
  shape,
  "an ONEX contract: a map with `workflow_coordination`",
).meta({ id: "OnexContract", description: "A workflow in the form of ONEX." });
