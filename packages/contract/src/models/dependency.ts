import type { z } from "zod";

import { oneOf, strictObject, union, list } from "./zod-helpers.ts";
import { stepReferenceModel } from "./name.ts";

export type DependencyDocument = string | { readonly step: string; readonly on?: "succeeded" | "settled" };

const EXPECTED = "the id of a step, or `{ step: id, on: settled }`";

const edge = strictObject(
  {
    step: stepReferenceModel,
    on: oneOf("succeeded", "settled")
      .meta({ description: "`settled` is met by any end of that step, so that clean-up runs.", default: "succeeded" })
      .exactOptional(),
  },
  EXPECTED,
);

export const dependenciesModel: z.ZodType<readonly DependencyDocument[]> = list(
  union([stepReferenceModel, edge], EXPECTED),
  "a list of ids of steps",
).meta({
  id: "Dependencies",
  description: "The steps that must end before this one starts.",
});
