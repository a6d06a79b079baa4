import type { JsonSchema, MergeMode } from "@segno/kernel";
import type { z } from "zod";

import { jsonSchemaSchema } from "./json-schema.ts";
import { oneOf, strictObject, string } from "./zod-helpers.ts";
import { variablePathSchema } from "./name.ts";

/** How the output of a step is selected, checked and stored. */
export interface RawOutput {
  /** The path of the variable to which the output is written. */
  readonly to?: string;
  /** An expression that selects a part of the raw output. */
  readonly select?: string;
  /** How the variable is written. The default is `replace`. */
  readonly merge?: MergeMode;
  /** The JSON Schema of the selected output. */
  readonly schema?: JsonSchema;
}

export const outputSchema: z.ZodType<RawOutput> = strictObject(
  {
    to: variablePathSchema
      .meta({ description: "Where the output is written, such as `variables.notes`." })
      .exactOptional(),
    select: string("an expression")
      .meta({ description: "A JMESPath expression over the raw output, which is `@`.", default: "@" })
      .exactOptional(),
    merge: oneOf("replace", "merge", "append")
      .meta({ description: "The way in which the output is written to the variable.", default: "replace" })
      .exactOptional(),
    schema: jsonSchemaSchema.meta({ description: "The schema of the output, after `select`." }).exactOptional(),
  },
  "a map of `to`, `select`, `merge` and `schema`",
).meta({ id: "Output" });
