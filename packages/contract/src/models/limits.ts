import type { z } from "zod";

import { strictObject, wholeNumber } from "./zod-helpers.ts";
import { rateModel, type RateDocument } from "./rate.ts";

export interface LimitsDocument {
  readonly concurrency?: number;
  readonly rate?: RateDocument;
}

export const limitsModel: z.ZodType<LimitsDocument> = strictObject(
  {
    concurrency: wholeNumber(1, 10_000).meta({ description: "So many at once, over all executions." }).exactOptional(),
    rate: rateModel.meta({ description: "So many starts in such a time." }).exactOptional(),
  },
  "limits: a map of `concurrency` and `rate`",
).meta({ id: "Limits" });
