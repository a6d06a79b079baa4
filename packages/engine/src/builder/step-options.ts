// The options of a step: the keys of a step in a contract, with typed ids.

import type { RawCompensate, RawContract, RawStep } from "@segno/contract";
import type { CompensationOption, SameOption } from "@segno/contract/step-keys";
import type { JsonSchema } from "@segno/kernel";
import type { ConditionContext } from "../agents/step-context.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** A bare id requires success. A `settled` dependency accepts any end, and its output may be null (STATE-6). */
export type Dependency<Known extends string> = Known | { readonly step: Known; readonly on?: "succeeded" | "settled" };

/** The options of an output: those of a contract. A Standard Schema, such as one of zod, types and checks the output. */
export interface OutputOptions extends Omit<NonNullable<RawStep["output"]>, "schema"> {
  /** A JSON Schema of the selected output, or a Standard Schema. */
  readonly schema?: StandardSchema | JsonSchema;
}

/** Options of a step: the keys of a step in a contract, with the ids of earlier steps as types. */
export interface StepOptions<Known extends string = string> extends Pick<
  RawStep,
  Exclude<SameOption, "when" | "output">
> {
  /** How the output is selected, checked and stored in a variable. */
  readonly output?: OutputOptions;
  /**
   * Whether the step runs: an expression, or a function of `input` and of the `outputs` of the dependencies. The function is called
   * once and its answer is recorded, so a retry of the step does not decide again. If the answer is false, the step is skipped,
   * and its dependants read null (STATE-5).
   */
  readonly when?: string | ((context: never) => unknown);
  /** The steps that must end before this one starts. The handler gets their outputs. */
  readonly dependsOn?: readonly Dependency<Known>[];
  /** The step that runs if this one fails permanently (STATE-8). It must be declared before, like a dependency. */
  readonly fallback?: Known;
}

/**
 * The options before the types of their functions are known: two types for one function would leave its parameters without a
 * type.
 */
export interface UntypedStepOptions<Known extends string> extends Omit<StepOptions<Known>, "when"> {
  /** The condition, of any type. */
  readonly when?: unknown;
}

/** The part of the options whose types depend on the steps before: a condition sees the outputs of the dependencies. */
export interface ConditionOptions<Dependencies, Outputs, Input> {
  /** The steps that must end before this one starts. */
  readonly dependsOn?: Dependencies;
  /** Whether the step runs: an expression, or a function of `input` and `outputs`. */
  readonly when?: string | ((context: ConditionContext<Outputs, Input>) => boolean | Promise<boolean>);
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
