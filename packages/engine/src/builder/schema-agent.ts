// Agents whose input and output have Standard Schemas.

import { SegnoError, type Json } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";
import { outputCheck } from "./output-schema.ts";
import { canValidate, isStandardSchema, validateStepValue, type StandardSchema } from "./standard-schema.ts";

/** An agent with schemas. `execute` gets the input as its schema converts it; the output is checked after `execute`. */
export interface SchemaAgent<Input, Result, Output> {
  readonly input: StandardSchema<unknown, Input>;
  readonly output?: StandardSchema<unknown, Output>;
  readonly execute: (input: Input, context: StepContext) => Result | Promise<Result>;
}

/** An agent with a schema of its output only. */
export interface OutputAgent<Output> {
  readonly input?: undefined;
  readonly output: StandardSchema<unknown, Output>;
  readonly execute: (input: Json, context: StepContext) => unknown;
}

type AnySchemaAgent = SchemaAgent<never, unknown, unknown> | OutputAgent<unknown>;

/** An agent without schemas gets other arguments (`Agent.execute`). The fields of a class may have these names, too. */
export function hasSchemas(work: object): work is AnySchemaAgent {
  const { input, output } = work as { readonly input?: unknown; readonly output?: unknown };
  if (isStandardSchema(input) || isStandardSchema(output)) return true;
  return Object.getPrototypeOf(work) === Object.prototype && (input !== undefined || output !== undefined);
}

export function schemaAgent(name: string, work: AnySchemaAgent): Agent {
  const { input, output, execute } = work;
  for (const [side, schema] of Object.entries({ input, output }))
    if (schema !== undefined && !(isStandardSchema(schema) && canValidate(schema)))
      throw new SegnoError("DEFINITION_INVALID", `the ${side} of the agent \`${name}\` must be a Standard Schema`);
  if (typeof execute !== "function")
    throw new SegnoError("DEFINITION_INVALID", `the agent \`${name}\` needs a function \`execute\``);
  /** The converted inputs of running attempts. */
  const inputs = new WeakMap<StepContext, unknown>();
  return {
    needsDependencyOutputs: false,
    ...(input === undefined
      ? {}
      : {
          checkInput: async (context) =>
            void inputs.set(context, await validateStepValue(input, "input", context.input)),
        }),
    ...(output === undefined ? {} : { checkOutput: outputCheck(output) }),
    execute: (_, context) => execute((input === undefined ? context.input : inputs.get(context)) as never, context),
  };
}
