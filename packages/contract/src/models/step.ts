// The models of a step, of `map` and of `repeat`. They are in one file because the latter two contain steps.

import { REPEAT_MAX, REPEAT_MAX_DEFAULT, type Json, type JsonSchema } from "@segno/kernel";
import type { z } from "zod";

import { approveSchema, type RawApprove } from "./approve.ts";
import { callShape, type RawCall, type Scalar } from "./call.ts";
import { commandShape, type RawShell } from "./command.ts";
import { compensateSchema, type RawCompensate } from "./compensate.ts";
import { dependenciesSchema, type RawDependency } from "./dependency.ts";
import { durationSchema, type RawDuration } from "./duration.ts";
import { environmentSchema } from "./environment.ts";
import { jsonSchemaSchema } from "./json-schema.ts";
import {
  oneOf,
  strictObject,
  union,
  json,
  list,
  literalTrue,
  record,
  string,
  wholeNumber,
  boolean,
} from "./zod-helpers.ts";
import { limitsSchema, type RawLimits } from "./limits.ts";
import {
  artifactPatternSchema,
  axisNameSchema,
  secretNameSchema,
  stepIdSchema,
  stepReferenceSchema,
  variablePathSchema,
  workflowReferenceSchema,
} from "./name.ts";
import { outputSchema, type RawOutput } from "./output.ts";
import { claimsSchema } from "./resource.ts";
import { retrySchema, type RawRetry } from "./retry.ts";
import { STEP_KINDS, type StepKey } from "./step-keys.ts";
import { waitSchema, type RawWait } from "./wait.ts";

export interface RawStep extends RawCall {
  readonly id: string;
  readonly name?: string;
  readonly workflow?: string;
  readonly map?: RawMap;
  readonly repeat?: RawRepeat;
  readonly wait?: RawWait;
  readonly approve?: RawApprove;
  readonly barrier?: true;
  readonly dependsOn?: readonly RawDependency[];
  readonly when?: string;
  readonly input?: Json;
  readonly inputSchema?: JsonSchema;
  readonly output?: RawOutput;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly cwd?: string;
  readonly shell?: RawShell;
  readonly stdin?: Json;
  readonly artifacts?: readonly string[];
  readonly secrets?: readonly string[];
  readonly retry?: RawRetry;
  readonly timeout?: RawDuration;
  readonly onError?: "fail" | "finish" | "continue";
  readonly fallback?: string;
  readonly compensate?: RawCompensate;
  readonly priority?: number;
  readonly resources?: Readonly<Record<string, number>>;
  readonly limits?: RawLimits;
  readonly enabled?: boolean;
  readonly private?: readonly string[];
}

export interface RawMap {
  readonly over: string | Readonly<Record<string, string | readonly Json[]>>;
  readonly steps: readonly RawStep[];
  readonly result?: string;
  readonly concurrency?: number;
  readonly label?: string;
  readonly tolerance?: number | string;
}

export interface RawRepeat {
  readonly steps: readonly RawStep[];
  readonly result?: string;
  readonly until?: string;
  readonly max?: number;
  readonly delay?: RawDuration;
}

const TOLERANCE = "a number of items, or a percentage from `0%` to `100%`";
const toleranceSchema: z.ZodType<number | string> = union(
  [wholeNumber(0, 1_000_000), string(TOLERANCE, { pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,6})?)%$/u })],
  TOLERANCE,
);

const LIST = "an expression that evaluates to a list";
const axisSchema: z.ZodType<string | readonly Json[]> = union(
  [string(LIST), list(json, "a list")],
  `a list, or ${LIST}`,
);
const overSchema: z.ZodType<RawMap["over"]> = union(
  [string(LIST), record(axisNameSchema, axisSchema, "a map from names to lists")],
  `${LIST}, or a map from names to lists`,
);

const mapSchema: z.ZodType<RawMap> = strictObject(
  {
    over: overSchema.meta({
      description:
        "The items: an expression, or a matrix of lists, which has an item for each combination. The steps of the map can read `item` and `index`.",
    }),
    get steps() {
      return list(stepSchema, "a list of at least one step", 1).meta({
        description: "The steps that run for each item; they can depend only on each other.",
      });
    },
    result: stepReferenceSchema
      .meta({ description: "The step whose output is the item's result; the last one when it is absent." })
      .exactOptional(),
    concurrency: wholeNumber(1, 10_000)
      .meta({ description: "The maximum number of items that run at the same time." })
      .exactOptional(),
    label: string("text").meta({ description: "A template that names an item for people." }).exactOptional(),
    tolerance: toleranceSchema
      .meta({
        description: "The number of items, or the share of them, that may fail without failing the map.",
        default: 0,
      })
      .exactOptional(),
  },
  "a map with `over` and `steps`",
).meta({ id: "Map" });

const repeatSchema: z.ZodType<RawRepeat> = strictObject(
  {
    get steps() {
      return list(stepSchema, "a list of at least one step", 1).meta({
        description: "The steps of each iteration; they can depend only on each other, and read `last` and `index`.",
      });
    },
    result: stepReferenceSchema
      .meta({ description: "The step whose output is the iteration's output; the last one when it is absent." })
      .exactOptional(),
    until: string("an expression that is true or false")
      .meta({
        description: "Evaluated after each iteration; true ends the repetition. It can read `last` and `index`.",
      })
      .exactOptional(),
    max: wholeNumber(1, REPEAT_MAX)
      .meta({
        description: "The number of iterations; with `until` the largest number, after which the step fails.",
        default: REPEAT_MAX_DEFAULT,
      })
      .exactOptional(),
    delay: durationSchema.meta({ description: "The time between two iterations." }).exactOptional(),
  },
  "a map with `steps`, and `until` or `max`",
).meta({ id: "Repeat" });

const stepSchema: z.ZodType<RawStep> = strictObject(
  {
    id: stepIdSchema.meta({
      description: 'Unique in its list of steps. With a hyphen it is quoted in expressions: `steps."build-a"`.',
    }),
    name: string("text", { max: 200 }).meta({ description: "For people; names may repeat." }).exactOptional(),
    ...callShape,
    workflow: workflowReferenceSchema
      .meta({ description: "Another workflow, `name` or `name@version`; it gets the step's `input`." })
      .exactOptional(),
    map: mapSchema.meta({ description: "Runs steps for each item of a list." }).exactOptional(),
    repeat: repeatSchema
      .meta({ description: "Runs steps again and again, each time with the output of the time before." })
      .exactOptional(),
    wait: waitSchema.meta({ description: "Waits for a signal, for a time, or until a time." }).exactOptional(),
    approve: approveSchema.meta({ description: "Waits until people approve." }).exactOptional(),
    barrier: literalTrue()
      .meta({ description: "Has no work: a named point that several steps have to reach before other steps start." })
      .exactOptional(),
    dependsOn: dependenciesSchema.exactOptional(),
    when: string("an expression")
      .meta({ description: "A JMESPath expression; if it is false or null, the step is skipped." })
      .exactOptional(),
    input: json.meta({ description: "A template for the input of the step." }).exactOptional(),
    inputSchema: jsonSchemaSchema.meta({ description: "The schema of the input." }).exactOptional(),
    output: outputSchema
      .meta({ description: "The way in which the step's output is selected, checked and written." })
      .exactOptional(),
    env: environmentSchema.exactOptional(),
    ...commandShape,
    artifacts: list(artifactPatternSchema, "a list of at least one pattern of files", 1)
      .meta({
        description: "Patterns of the files that are kept when the step succeeds, relative to its `cwd`: `dist/*.tgz`.",
      })
      .exactOptional(),
    secrets: list(secretNameSchema, "a list of names of secrets")
      .meta({ description: "The secrets that the step may use." })
      .exactOptional(),
    retry: retrySchema.meta({ default: 3 }).exactOptional(),
    timeout: durationSchema
      .meta({
        description:
          "The maximum duration of one attempt; for a `map`, a `repeat` or a `workflow`, of the whole step. Unlimited when it is absent.",
      })
      .exactOptional(),
    onError: oneOf("fail", "finish", "continue")
      .meta({ description: "The effect of a final failure on the execution.", default: "fail" })
      .exactOptional(),
    fallback: stepReferenceSchema
      .meta({ description: "The step that runs in place of this step when it fails for good." })
      .exactOptional(),
    compensate: compensateSchema.meta({ description: "How to undo the step." }).exactOptional(),
    priority: wholeNumber(-1000, 1000)
      .meta({ description: "Steps with a higher number start first.", default: 0 })
      .exactOptional(),
    resources: claimsSchema
      .meta({
        description:
          "The resources that the step uses while it runs; for a `map`, those that each step of an item uses.",
      })
      .exactOptional(),
    limits: limitsSchema
      .meta({ description: "Limits of this step in all executions together; for a `map`, of all its items together." })
      .exactOptional(),
    enabled: boolean()
      .meta({ description: "A disabled step does not run; its dependants read null.", default: true })
      .exactOptional(),
    private: list(variablePathSchema, "a list of paths such as `variables.name`")
      .meta({ description: "Variables that only this step can read." })
      .exactOptional(),
  } satisfies { readonly [Key in StepKey]: z.ZodType<RawStep[Key]> },
  "a step: a map with `id` and an action",
).meta({ id: "Step", oneOf: STEP_KINDS.map((kind) => ({ required: [kind] })) });

export const stepsSchema: z.ZodType<readonly RawStep[]> = list(stepSchema, "a list of steps");
