// The options of a step: the keys of a step in a contract, with typed ids.

import type { RawCompensate, RawContract, RawStep } from "@segno/contract";
import type { CompensationOption, SameOption } from "@segno/contract/step-keys";
import type { JsonSchema } from "@segno/kernel";
import type { StandardSchema } from "./standard-schema.ts";

/** A bare id requires success. A `settled` dependency accepts any end, and its output may be null (STATE-6). */
export type Dependency<Known extends string> = Known | { readonly step: Known; readonly on?: "succeeded" | "settled" };

/** Options of a step: the keys of a step in a contract, with the ids of earlier steps as types. */
export interface StepOptions<Known extends string = string> extends Pick<RawStep, SameOption> {
  /** The steps that must end before this one starts. The handler gets their outputs. */
  readonly dependsOn?: readonly Dependency<Known>[];
  /** The step that runs if this one fails permanently (STATE-8). It must be declared before, like a dependency. */
  readonly fallback?: Known;
}

/** The options, with `never` for every unknown key, so that a misspelt option does not compile. */
export type CheckedOptions<Options> = Options & {
  readonly [Key in Exclude<keyof Options, keyof StepOptions>]: never;
};

/** Options of a compensation: the keys of `compensate` in a contract. */
export interface CompensationOptions extends Pick<RawCompensate, CompensationOption & SameOption> {}

/** Options of a workflow: the keys of a contract, without its name, steps and output. */
export interface WorkflowOptions<Given, Input> extends Omit<RawContract, "name" | "steps" | "input" | "output"> {
  /** Any Standard Schema, which also types the input; or a JSON Schema, which does not. */
  readonly input?: StandardSchema<Given, Input> | JsonSchema;
}
