import type { z } from "zod";

import { oneOf, strictObject, union, list } from "./zod-helpers.ts";
import { stepReferenceSchema } from "./name.ts";

/** The id of a step, or the step with the end that is awaited: success, or any end (`settled`). */
export type RawDependency = string | { readonly step: string; readonly on?: "succeeded" | "settled" };

const EXPECTED = "the id of a step, or `{ step: id, on: settled }`";

const edge = strictObject(
  {
    step: stepReferenceSchema,
    on: oneOf("succeeded", "settled")
      .meta({
        description: "`settled` is met when that step ends, with or without success, so that clean-up runs.",
        default: "succeeded",
      })
      .exactOptional(),
  },
  EXPECTED,
);

export const dependenciesSchema: z.ZodType<readonly RawDependency[]> = list(
  union([stepReferenceSchema, edge], EXPECTED),
  "a list of ids of steps",
).meta({
  id: "Dependencies",
  description: "The steps that must end before this one starts.",
});
