// The model of an ONEX contract. The key `segno` is an addition of this project: it declares the agents that run the steps, and other
// readers ignore it like every unknown key.

import type { z } from "zod";

import { agentsModel, type AgentDocument } from "../../models/agent.ts";
import { strictObject, list } from "../../models/zod-helpers.ts";
import { openMap } from "./open-map.ts";
import { SEM_VER_KEYS } from "./sem-ver.ts";
import { DEFINITION_KEYS, workflowDefinitionModel, type WorkflowDefinitionDocument } from "./workflow-definition.ts";
import { STEP_KEYS, workflowStepModel, type WorkflowStepDocument } from "./workflow-step.ts";

export interface OnexDocument {
  readonly workflow_coordination: CoordinationDocument;
  readonly segno?: SegnoDocument;
}

export interface CoordinationDocument {
  readonly workflow_definition: WorkflowDefinitionDocument;
  readonly steps?: readonly WorkflowStepDocument[];
}

export interface SegnoDocument {
  readonly agents?: Readonly<Record<string, AgentDocument>>;
}

const coordinationShape = {
  workflow_definition: workflowDefinitionModel.meta({ description: "What is said of the workflow as a whole." }),
  steps: list(workflowStepModel, "a list of steps")
    .meta({ description: "The steps, in the order that counts.", default: [] })
    .exactOptional(),
};

const coordinationModel: z.ZodType<CoordinationDocument> = openMap(
  coordinationShape,
  "a map of `workflow_definition` and `steps`",
).meta({ id: "WorkflowCoordination" });

const segnoModel: z.ZodType<SegnoDocument> = strictObject(
  {
    agents: agentsModel
      .meta({ description: "Where the agents come from: `NodeCompute`, `NodeEffect`, `NodeReducer` and the others." })
      .exactOptional(),
  },
  "a map of `agents`",
).meta({ id: "Segno" });

const shape = {
  workflow_coordination: coordinationModel.meta({ description: "The workflow." }),
  segno: segnoModel.meta({ description: "What Segno needs to run it; other readers ignore it." }).exactOptional(),
};

/** All keys that have a meaning anywhere in the document. Any other key may be misspelt. */
export const ONEX_KEYS: ReadonlySet<string> = new Set([
  ...[shape, coordinationShape].flatMap((each) => Object.keys(each)),
  ...DEFINITION_KEYS,
  ...STEP_KEYS,
  ...SEM_VER_KEYS,
]);

export const onexModel: z.ZodType<OnexDocument> = openMap(
  shape,
  "an ONEX contract: a map with `workflow_coordination`",
).meta({ id: "OnexContract", description: "A workflow in the form of ONEX." });
