import type { JsonSchema, MergeMode } from "@segno/kernel";
import type { z } from "zod";

import { jsonSchemaModel } from "./json-schema.ts";
import { oneOf, strictObject, string } from "./zod-helpers.ts";
import { variablePathModel } from "./name.ts";

export interface OutputDocument {
  readonly to?: string;
  readonly select?: string;
  readonly merge?: MergeMode;
  readonly schema?: JsonSchema;
}

export const outputModel: z.ZodType<OutputDocument> = strictObject(
  {
    to: variablePathModel
      .meta({ description: "Where the output is written, such as `variables.notes`." })
      .exactOptional(),
    select: string("an expression")
      .meta({ description: "A JMESPath expression over the raw output, which is `@`.", default: "@" })
      .exactOptional(),
    merge: oneOf("replace", "merge", "append")
      .meta({ description: "How it is written.", default: "replace" })
      .exactOptional(),
    schema: jsonSchemaModel.meta({ description: "What the output must look like, after `select`." }).exactOptional(),
  },
  "a map of `to`, `select`, `merge` and `schema`",
).meta({ id: "Output" });
