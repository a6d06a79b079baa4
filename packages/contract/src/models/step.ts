// The models of a step and of `map`. They are in one file because a map contains steps.

import type { Json, JsonSchema } from "@segno/kernel";
import type { z } from "zod";

import { approveModel, type ApproveDocument } from "./approve.ts";
import { callShape, type CallDocument, type Scalar } from "./call.ts";
import { compensateModel, type CompensateDocument } from "./compensate.ts";
import { dependenciesModel, type DependencyDocument } from "./dependency.ts";
import { durationModel, type DurationDocument } from "./duration.ts";
import { environmentModel } from "./environment.ts";
import { jsonSchemaModel } from "./json-schema.ts";
import { oneOf, strictObject, union, json, list, literalTrue, string, wholeNumber, boolean } from "./zod-helpers.ts";
import { limitsModel, type LimitsDocument } from "./limits.ts";
import { secretNameModel, stepIdModel, stepReferenceModel, variablePathModel, workflowReferenceModel } from "./name.ts";
import { outputModel, type OutputDocument } from "./output.ts";
import { claimsModel } from "./resource.ts";
import { retryModel, type RetryDocument } from "./retry.ts";
import { STEP_KINDS, type StepKey } from "./step-keys.ts";
import { waitModel, type WaitDocument } from "./wait.ts";

export interface StepDocument extends CallDocument {
  readonly id: string;
  readonly name?: string;
  readonly workflow?: string;
  readonly map?: MapDocument;
  readonly wait?: WaitDocument;
  readonly approve?: ApproveDocument;
  readonly barrier?: true;
  readonly dependsOn?: readonly DependencyDocument[];
  readonly when?: string;
  readonly input?: Json;
  readonly inputSchema?: JsonSchema;
  readonly output?: OutputDocument;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly secrets?: readonly string[];
  readonly retry?: RetryDocument;
  readonly timeout?: DurationDocument;
  readonly onError?: "fail" | "finish" | "continue";
  readonly fallback?: string;
  readonly compensate?: CompensateDocument;
  readonly priority?: number;
  readonly resources?: Readonly<Record<string, number>>;
  readonly limits?: LimitsDocument;
  readonly enabled?: boolean;
  readonly private?: readonly string[];
}

export interface MapDocument {
  readonly over: string;
  readonly steps: readonly StepDocument[];
  readonly result?: string;
  readonly concurrency?: number;
  readonly label?: string;
  readonly tolerance?: number | string;
}

const TOLERANCE = "a number of items, or a share of them from `0%` to `100%`";
const toleranceModel: z.ZodType<number | string> = union(
  [wholeNumber(0, 1_000_000), string(TOLERANCE, { pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d{1,6})?)%$/u })],
  TOLERANCE,
);

const mapModel: z.ZodType<MapDocument> = strictObject(
  {
    over: string("an expression that gives a list").meta({
      description: "The items; inside, each step sees `item` and `index`.",
    }),
    get steps() {
      return list(stepModel, "a list of at least one step", 1).meta({
        description: "The steps that run for each item; they depend on each other only.",
      });
    },
    result: stepReferenceModel
      .meta({ description: "The step whose output is the item's result; the last one when it is absent." })
      .exactOptional(),
    concurrency: wholeNumber(1, 10_000).meta({ description: "So many items at once." }).exactOptional(),
    label: string("text").meta({ description: "A template that names an item for people." }).exactOptional(),
    tolerance: toleranceModel
      .meta({ description: "So many items, or such a share of them, may fail without failing the map.", default: 0 })
      .exactOptional(),
  },
  "a map with `over` and `steps`",
).meta({ id: "Map" });

const stepModel: z.ZodType<StepDocument> = strictObject(
  {
    id: stepIdModel.meta({
      description: 'Unique in its list of steps. With a hyphen it is quoted in expressions: `steps."build-a"`.',
    }),
    name: string("text", { max: 200 }).meta({ description: "For people; names may repeat." }).exactOptional(),
    ...callShape,
    workflow: workflowReferenceModel
      .meta({ description: "Another workflow, `name` or `name@version`; it gets the step's `input`." })
      .exactOptional(),
    map: mapModel.meta({ description: "Runs steps for each item of a list." }).exactOptional(),
    wait: waitModel.meta({ description: "Waits for a signal, for a time, or until a time." }).exactOptional(),
    approve: approveModel.meta({ description: "Waits until people approve." }).exactOptional(),
    barrier: literalTrue()
      .meta({ description: "Does nothing: a named point at which steps meet before others go on." })
      .exactOptional(),
    dependsOn: dependenciesModel.exactOptional(),
    when: string("an expression")
      .meta({ description: "A JMESPath expression; where it is false or null, the step is skipped." })
      .exactOptional(),
    input: json.meta({ description: "A template; what the step gets." }).exactOptional(),
    inputSchema: jsonSchemaModel.meta({ description: "What the input must look like." }).exactOptional(),
    output: outputModel.meta({ description: "What becomes of the step's output." }).exactOptional(),
    env: environmentModel.exactOptional(),
    secrets: list(secretNameModel, "a list of names of secrets")
      .meta({ description: "The secrets that the step may use." })
      .exactOptional(),
    retry: retryModel.meta({ default: 3 }).exactOptional(),
    timeout: durationModel
      .meta({ description: "Bounds one attempt; of a `map` or a `workflow`, all of it. None when it is absent." })
      .exactOptional(),
    onError: oneOf("fail", "finish", "continue")
      .meta({ description: "What a final failure means for the execution.", default: "fail" })
      .exactOptional(),
    fallback: stepReferenceModel
      .meta({ description: "The step that runs in this one's place when it fails for good." })
      .exactOptional(),
    compensate: compensateModel.meta({ description: "How to undo the step." }).exactOptional(),
    priority: wholeNumber(-1000, 1000).meta({ description: "Higher numbers first.", default: 0 }).exactOptional(),
    resources: claimsModel
      .meta({ description: "What the step holds while it runs; of a `map`, what each step of an item does." })
      .exactOptional(),
    limits: limitsModel
      .meta({ description: "Limits of this step over all executions; of a `map`, of all its items together." })
      .exactOptional(),
    enabled: boolean()
      .meta({ description: "A disabled step is left out; its dependants see null.", default: true })
      .exactOptional(),
    private: list(variablePathModel, "a list of paths such as `variables.name`")
      .meta({ description: "Variables that only this step sees." })
      .exactOptional(),
  } satisfies { readonly [Key in StepKey]: z.ZodType<StepDocument[Key]> },
  "a step: a map with `id` and what to do",
).meta({ id: "Step", oneOf: STEP_KINDS.map((kind) => ({ required: [kind] })) });

export const stepsModel: z.ZodType<readonly StepDocument[]> = list(stepModel, "a list of steps");
