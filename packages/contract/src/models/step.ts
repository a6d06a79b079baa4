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

/** A step as a contract writes it: an id, exactly one key that says what it does, and policies. */
export interface RawStep extends RawCall {
  /** The name of the step in expressions and dependencies, unique in its list. */
  readonly id: string;
  /** A name for people. The default is the id. */
  readonly name?: string;
  /** Runs another workflow, `name` or `name@version`, with the `input` of the step. */
  readonly workflow?: string;
  /** Runs steps for each item of a list. */
  readonly map?: RawMap;
  /** Runs steps again until a condition is true. */
  readonly repeat?: RawRepeat;
  /** Waits for a signal, for a duration or until a time. */
  readonly wait?: RawWait;
  /** Waits until people approve. */
  readonly approve?: RawApprove;
  /** Has no work: a named point at which steps meet. */
  readonly barrier?: true;
  /** The steps that must end before this one starts. */
  readonly dependsOn?: readonly RawDependency[];
  /** A condition. If it is false or null, the step is skipped; its dependants run and read null. */
  readonly when?: string;
  /** The input of the step; a template. */
  readonly input?: Json;
  /** The JSON Schema of the input. */
  readonly inputSchema?: JsonSchema;
  /** How the output is selected, checked and stored in a variable. */
  readonly output?: RawOutput;
  /** Environment variables of a command; templates. */
  readonly env?: Readonly<Record<string, Scalar>>;
  /** The folder in which the command runs; a template. Only beside `run` and `exec`. */
  readonly cwd?: string;
  /** The program that runs the script. Only beside `run`. The default is `sh`. */
  readonly shell?: RawShell;
  /** The standard input of the command; a template. Only beside `run` and `exec`. The default is empty. */
  readonly stdin?: Json;
  /** Patterns of the files that are kept when the step succeeds. Only beside `run`, `exec` and `agent`. */
  readonly artifacts?: readonly string[];
  /** The secrets that the step may use. */
  readonly secrets?: readonly string[];
  /** The number of attempts, the first included, or a retry policy. The default is 3. */
  readonly retry?: RawRetry;
  /** The time limit of one attempt; for a map, a repetition or a called workflow, of the whole step. */
  readonly timeout?: RawDuration;
  /**
   * Whether a final failure fails the execution. `finish` fails it after the independent steps have run; `continue`
   * does not. The default is `fail`.
   */
  readonly onError?: "fail" | "finish" | "continue";
  /** The step that runs in place of this one if it fails for good. */
  readonly fallback?: string;
  /** The call that undoes the step. */
  readonly compensate?: RawCompensate;
  /** Steps with a higher number start first. The default is 0. */
  readonly priority?: number;
  /** The amounts of resources that the step uses while it runs, all or none. */
  readonly resources?: Readonly<Record<string, number>>;
  /** Limits of this step in all executions of the engine. */
  readonly limits?: RawLimits;
  /** A disabled step does not run, and its dependants read null. The default is true. */
  readonly enabled?: boolean;
  /** Paths of variables whose writes only this step can read. */
  readonly private?: readonly string[];
}

/** Runs steps for each item of a list. The output is the list of results. */
export interface RawMap {
  /** An expression that gives the list. */
  readonly over: string | Readonly<Record<string, string | readonly Json[]>>;
  /** The steps of each item. They read `item` and `index`. */
  readonly steps: readonly RawStep[];
  /** The step whose output is the result of an item. The default is the last step. */
  readonly result?: string;
  /** The maximum number of items that run at once. The default is no limit. */
  readonly concurrency?: number;
  /** The name of an item for people; a template. */
  readonly label?: string;
  /** The number of items, or their share (`10%`), that may fail without failing the map. The default is 0. */
  readonly tolerance?: number | string;
}

/** Runs steps again until a condition is true. */
export interface RawRepeat {
  /** The steps of each iteration. They read `last` and `index`. */
  readonly steps: readonly RawStep[];
  /** The step whose output is the output of an iteration. The default is the last step. */
  readonly result?: string;
  /** An expression that is evaluated after each iteration; true ends the repetition. */
  readonly until?: string;
  /** The maximum number of iterations. Without `until` it is the number of iterations. The default with `until` is 1,000. */
  readonly max?: number;
  /** The time between two iterations. */
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
