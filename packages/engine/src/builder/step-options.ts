// What can be said about a step beside its id and its work: the keys of a step in a contract, with the ids typed.

import type { CompensateDocument, ContractDocument, StepDocument } from "@segno/contract";
import type { CompensationOption, SameOption } from "@segno/contract/step-keys";
import type { JsonSchema } from "@segno/kernel";
import type { StandardSchema } from "./standard-schema.ts";

/** A bare id wants success; a `settled` dependency is content with any end, and its output may be null (STATE-6). */
export type Dependency<Known extends string> = Known | { readonly step: Known; readonly on?: "succeeded" | "settled" };

export interface StepOptions<Known extends string = string> extends Pick<StepDocument, SameOption> {
  readonly dependsOn?: readonly Dependency<Known>[];
  /** The step that stands in when this one fails for good (STATE-8). Like a dependency, it is declared before. */
  readonly fallback?: Known;
}

/** The options themselves, with `never` for every key that is no option: a misspelt one does not compile. */
export type CheckedOptions<Options> = Options & {
  readonly [Key in Exclude<keyof Options, keyof StepOptions>]: never;
};

export interface CompensationOptions extends Pick<CompensateDocument, CompensationOption & SameOption> {}

export interface WorkflowOptions<Given, Input> extends Omit<ContractDocument, "name" | "steps" | "input" | "output"> {
  /** Any Standard Schema, which also types the input; or a JSON Schema, which does not. */
  readonly input?: StandardSchema<Given, Input> | JsonSchema;
}
