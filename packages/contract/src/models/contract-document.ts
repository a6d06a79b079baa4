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

/** A workflow as a contract writes it. Keys are the same in YAML, in JSON and in code. */
export interface RawContract {
  /** The name of the workflow. */
  readonly name: string;
  /** The version of the workflow, which `workflow: name@version` can name. */
  readonly version?: string;
  /** A text for people. */
  readonly description?: string;
  /** The JSON Schema of an execution's input. The default allows anything. */
  readonly input?: JsonSchema;
  /** The output of the workflow: a template, which is rendered when every step has ended. */
  readonly output?: Json;
  /** The variables and their initial values. */
  readonly variables?: JsonObject;
  /** Paths of variables that no step may write. */
  readonly readOnly?: readonly string[];
  /** Whether a missing value in an expression is an error instead of null. The default is false. */
  readonly strict?: boolean;
  /** The maximum number of steps of one execution that run at once. The default is no limit. */
  readonly concurrency?: number;
  /** Runs one step at a time, strictly in the order of the plan. The default is false. */
  readonly sequential?: boolean;
  /** The time limit of an execution. */
  readonly timeout?: RawDuration;
  /** The time that an attempt has to clean up after a cancellation or a timeout. The default is `5s`. */
  readonly grace?: RawDuration;
  /**
   * Decides about the other steps when a step fails for good: `abort` (the default) stops them, `finish` lets
   * independent ones run, `compensate` stops them and undoes the steps that succeeded.
   */
  readonly onFailure?: FailureMode;
  /** Capacities and quotas that steps use, by name. */
  readonly resources?: Readonly<Record<string, RawResource>>;
  /** The agents that steps call, by name. */
  readonly agents?: Readonly<Record<string, RawAgent>>;
  /** The names of the secrets that steps may use. */
  readonly secrets?: readonly string[];
  /** The steps, in any order. */
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
