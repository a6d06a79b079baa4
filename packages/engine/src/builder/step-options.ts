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
  readonly schema?: StandardSchema | JsonSchema;
}

export interface StepOptions<Known extends string = string> extends Pick<
  RawStep,
  Exclude<SameOption, "when" | "output">
> {
  readonly output?: OutputOptions;
  /**
   * Whether the step runs: an expression, or a function of `input` and of the `outputs` of the dependencies. The function is called
   * once and its answer is recorded, so a retry of the step does not decide again. If the answer is false, the step is skipped,
   * and its dependants read null (STATE-5).
   */
  readonly when?: string | ((context: never) => unknown);
  readonly dependsOn?: readonly Dependency<Known>[];
  /** The step that runs if this one fails permanently (STATE-8). It must be declared before, like a dependency. */
  readonly fallback?: Known;
}

/**
 * The options before the types of their functions are known: two types for one function would leave its parameters without a
 * type.
 */
export interface UntypedStepOptions<Known extends string> extends Omit<StepOptions<Known>, "when"> {
  readonly when?: unknown;
}

/** The part of the options whose types depend on the steps before: a condition sees the outputs of the dependencies. */
export interface ConditionOptions<Dependencies, Outputs, Input> {
  readonly dependsOn?: Dependencies;
  readonly when?: string | ((context: ConditionContext<Outputs, Input>) => boolean | Promise<boolean>);
}

/** The options, with `never` for every unknown key, so that a misspelt option does not compile. */
export type CheckedOptions<Options> = Options & {
  readonly [Key in Exclude<keyof Options, keyof StepOptions>]: never;
};

export interface CompensationOptions extends Pick<RawCompensate, CompensationOption & SameOption> {}

export interface WorkflowOptions<Given, Input> extends Omit<RawContract, "name" | "steps" | "input" | "output"> {
  /** Any Standard Schema, which also types the input; or a JSON Schema, which does not. */
  readonly input?: StandardSchema<Given, Input> | JsonSchema;
}
