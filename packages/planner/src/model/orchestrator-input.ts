// The input of an orchestrator's call. Mode, timeout and failure strategy have no default: an absent one leaves the choice to the
// definition (ruling 11).

import type { JsonObject } from "@segno/kernel";
import { isoTime } from "../values/iso-time.ts";
import type { IdAndClock } from "./id-and-clock.ts";
import { build } from "./build.ts";
import { anyInteger, jsonObject, listCheck, time, truth, uuid, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import { hasBrand, type BrandedModel } from "./model-brand.ts";
import { readChoices, type PlanChoices } from "./plan-choices.ts";
import { isWorkflowStep, type WorkflowStep } from "./workflow-step.ts";

interface Input extends PlanChoices {
  readonly workflowId: string;
  readonly steps: readonly WorkflowStep[];
  readonly operationId: string;
  // Inert (PLAN-16).
  readonly maxParallelSteps: number;
  readonly loadBalancingEnabled: boolean;
  readonly dependencyResolutionEnabled: boolean;
  readonly metadata: JsonObject;
  /** When the input was made, as ISO 8601 text. */
  readonly timestamp: string;
}

/** The input of an orchestrator: a workflow and how to plan it. */
export type OrchestratorInput = Input & BrandedModel<"orchestrator input">;

type RequiredInputFields = "workflowId" | "steps";

/** The fields of `orchestratorInput`. */
export type OrchestratorInputFields = Pick<Input, RequiredInputFields> & {
  readonly [Name in Exclude<keyof Input, RequiredInputFields>]?: Input[Name] | undefined;
};

const NOTHING: JsonObject = Object.freeze({});

/** Accepts only steps that the factory built. An object that looks like a step is refused, not converted (PLAN-22). */
const builtStep: Check<WorkflowStep> = (value, path) =>
  isWorkflowStep(value) ? value : path.report("not-a-model", "expected a step that `workflowStep` built");
const builtSteps = listCheck(builtStep);

export function orchestratorInput(fields: OrchestratorInputFields, idAndClock: IdAndClock): OrchestratorInput {
  return build("orchestrator input", fields, (reader) => readInput(reader, idAndClock));
}

/** Whether a value is an input that `orchestratorInput` made. */
export function isOrchestratorInput(value: unknown): value is OrchestratorInput {
  return hasBrand(value, "orchestrator input");
}

function readInput(fields: FieldReader, idAndClock: IdAndClock): Input {
  return {
    workflowId: fields.required("workflowId", uuid),
    steps: fields.required("steps", builtSteps),
    operationId: fields.withGenerated("operationId", uuid, () => idAndClock.newId()),
    ...readChoices(fields),
    maxParallelSteps: fields.withDefault("maxParallelSteps", anyInteger, 5),
    loadBalancingEnabled: fields.withDefault("loadBalancingEnabled", truth, false),
    dependencyResolutionEnabled: fields.withDefault("dependencyResolutionEnabled", truth, true),
    metadata: fields.withDefault("metadata", jsonObject, NOTHING),
    timestamp: fields.withGenerated("timestamp", time, () => isoTime(idAndClock.now())),
  };
}
