// The model of a user's schema inside a contract. It checks only the type; `schema/` checks the content.

import type { JsonSchema } from "@segno/kernel";
import { z } from "zod";

import { union, jsonMap } from "./zod-helpers.ts";

export const jsonSchemaSchema: z.ZodType<JsonSchema> = union(
  [z.boolean(), jsonMap],
  "a JSON Schema: a map, or true or false",
).meta({
  id: "JsonSchema",
  description:
    "A JSON Schema (draft 2020-12 unless `$schema` says draft-07). No remote references; patterns in RE2 syntax.",
});
