// Schemas that users write inside a contract. Here only their outside; `schema/` checks what is in them.

import type { JsonSchema } from "@segno/kernel";
import { z } from "zod";

import { union, jsonMap } from "./zod-helpers.ts";

export const jsonSchemaModel: z.ZodType<JsonSchema> = union(
  [z.boolean(), jsonMap],
  "a JSON Schema: a map, or true or false",
).meta({
  id: "JsonSchema",
  description:
    "A JSON Schema (draft 2020-12 unless `$schema` says draft-07). No remote references; patterns in RE2 syntax.",
});
