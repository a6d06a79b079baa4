// The options of a step: the keys of a step in a contract, with typed ids.

import type { CompensateDocument, ContractDocument, StepDocument } from "@segno/contract";
import type { JsonSchema } from "@segno/kernel";
import type { StandardSchema } from "./standard-schema.ts";

/** A bare id requires success. A `settled` dependency accepts any end, and its output may be null (STATE-6). */
export type Dependency<Known extends string> = Known | { readonly step: Known; readonly on?: "succeeded" | "settled" };

type PlainKeys =
  | "name"
  | "when"
  | "input"
  | "inputSchema"
  | "output"
  | "secrets"
  | "retry"
  | "timeout"
  | "onError"
  | "priority"
  | "resources"
  | "limits"
  | "enabled"
  | "private";

export interface StepOptions<Known extends string = string> extends Pick<StepDocument, PlainKeys> {
  readonly dependsOn?: readonly Dependency<Known>[];
  /** The step that runs if this one fails permanently (STATE-8). It must be declared before, like a dependency. */
  readonly fallback?: Known;
}

/** The options, with `never` for every unknown key, so that a misspelt option does not compile. */
export type CheckedOptions<Options> = Options & {
  readonly [Key in Exclude<keyof Options, keyof StepOptions>]: never;
};

export interface CompensationOptions extends Pick<CompensateDocument, "input" | "secrets" | "retry" | "timeout"> {}

export interface WorkflowOptions<Given, Input> extends Omit<ContractDocument, "name" | "steps" | "input" | "output"> {
  /** Any Standard Schema, which also types the input; or a JSON Schema, which does not. */
  readonly input?: StandardSchema<Given, Input> | JsonSchema;
}
