// The model of a contract document. Both its JSON Schema and the loader's checks are derived from it (CONTRACT-6).

import type { FailureMode, Json, JsonObject, JsonSchema } from "@segno/kernel";
import type { z } from "zod";

import { agentsSchema, type RawAgent } from "./agent.ts";
import { durationSchema, pauseSchema, type RawDuration } from "./duration.ts";
import { jsonSchemaSchema } from "./json-schema.ts";
import { anyText, oneOf, strictObject, json, jsonMap, list, wholeNumber, boolean } from "./zod-helpers.ts";
import { secretNameSchema, variablePathSchema, versionSchema, workflowNameSchema } from "./name.ts";
import { resourcesSchema, type RawResource } from "./resource.ts";
import { stepsSchema, type RawStep } from "./step.ts";

export interface RawContract {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly input?: JsonSchema;
  readonly output?: Json;
  readonly variables?: JsonObject;
  readonly readOnly?: readonly string[];
  readonly strict?: boolean;
  readonly concurrency?: number;
  readonly sequential?: boolean;
  readonly timeout?: RawDuration;
  readonly grace?: RawDuration;
  readonly onFailure?: FailureMode;
  readonly resources?: Readonly<Record<string, RawResource>>;
  readonly agents?: Readonly<Record<string, RawAgent>>;
  readonly secrets?: readonly string[];
  readonly steps: readonly RawStep[];
}

export const contractSchema: z.ZodType<RawContract> = strictObject(
  {
    name: workflowNameSchema.meta({ description: "The name of the workflow." }),
    version: versionSchema.meta({ description: 'Text; quote what looks like a number: "1.0".' }).exactOptional(),
    description: anyText().meta({ description: "For people." }).exactOptional(),
    input: jsonSchemaSchema.meta({ description: "The schema of an execution's input." }).exactOptional(),
    output: json.meta({ description: "A template; the result of an execution." }).exactOptional(),
    variables: jsonMap.meta({ description: "Variables and their initial values." }).exactOptional(),
    readOnly: list(variablePathSchema, "a list of paths such as `variables.name`")
      .meta({ description: "Variables that no step may write." })
      .exactOptional(),
    strict: boolean()
      .meta({ description: "Missing values in templates are errors instead of null.", default: false })
      .exactOptional(),
    concurrency: wholeNumber(1, 10_000)
      .meta({ description: "The maximum number of steps of an execution that run at the same time." })
      .exactOptional(),
    sequential: boolean()
      .meta({ description: "One step at a time, strictly in the order of the plan.", default: false })
      .exactOptional(),
    timeout: durationSchema
      .meta({ description: "The maximum duration of the execution; unlimited when it is absent." })
      .exactOptional(),
    grace: pauseSchema
      .meta({
        description: "The time that an attempt has to clean up after a cancellation or a timeout.",
        default: "5s",
      })
      .exactOptional(),
    onFailure: oneOf("abort", "finish", "compensate")
      .meta({ description: "The effect of a failed step on the other steps.", default: "abort" })
      .exactOptional(),
    resources: resourcesSchema.meta({ description: "Named capacities and quotas that steps share." }).exactOptional(),
    agents: agentsSchema.meta({ description: "Where agents come from, and their limits." }).exactOptional(),
    secrets: list(secretNameSchema, "a list of names of secrets")
      .meta({ description: "The secrets that steps may use." })
      .exactOptional(),
    steps: stepsSchema.meta({
      description: "The steps, in any order; `dependsOn` defines which steps wait for others.",
    }),
  },
  "a contract: a map with `name` and `steps`",
).meta({ id: "Contract", description: "A workflow for Segno." });
