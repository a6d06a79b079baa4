// The schemas of outputs in the options of steps and maps: JSON Schemas, or Standard Schemas.
//
//   OS1. The output of a function is checked by the Standard Schema itself, in the process that ran the function (SS1). The
//        definition does not have that schema.
//   OS2. Everything else becomes a JSON Schema in the definition (SS2): outputs of commands, agents, maps and workflows, and
//        outputs of functions from which `select` takes a part, because the kernel selects after the function has returned.

import type { RawStep } from "@segno/contract";
import type { Agent } from "../agents/agent.ts";
import {
  canValidate,
  isStandardSchema,
  toStoredSchema,
  validateStepValue,
  type StandardSchema,
} from "./standard-schema.ts";
import type { OutputOptions } from "./step-options.ts";

/** The output options as a contract has them; undefined if nothing is left. A message refuses a schema that cannot be used. */
export function documentOutput(
  output: OutputOptions,
  isFunction: boolean,
  refuse: (message: string) => Error,
): RawStep["output"] {
  const { schema, ...rest } = output;
  if (!isStandardSchema(schema)) return output as RawStep["output"];
  if (!canValidate(schema))
    throw refuse("output.schema: expected a Standard Schema, which has a function `validate`, found one without");
  if (isFunction && output.select === undefined) return Object.keys(rest).length === 0 ? undefined : rest;
  const found = toStoredSchema(schema);
  if (found.kind === "none") throw refuse(`output.schema: ${found.reason}`);
  return { ...rest, schema: found.schema };
}

/** The agent of a function, with the check of its output (OS1). */
export function withOutputCheck(agent: Agent, output: OutputOptions | undefined): Agent {
  if (output === undefined || output.select !== undefined || !isStandardSchema(output.schema)) return agent;
  return { ...agent, checkOutput: outputCheck(output.schema) };
}

export function outputCheck(schema: StandardSchema): (output: unknown) => Promise<unknown> {
  return (output) => validateStepValue(schema, "output", output);
}
