import type { z } from "zod";

import type { Scalar } from "./call.ts";
import { closed, scalar, wholeNumber } from "./leaf.ts";
import { rateModel, type RateDocument } from "./rate.ts";

export interface LimitsDocument {
  readonly concurrency?: number;
  readonly key?: Scalar;
  readonly rate?: RateDocument;
}

export const limitsModel: z.ZodType<LimitsDocument> = closed(
  {
    concurrency: wholeNumber(1, 10_000).meta({ description: "So many at once, over all executions." }).exactOptional(),
    key: scalar.meta({ description: "Counts separately for each value of this template." }).exactOptional(),
    rate: rateModel.meta({ description: "So many starts in such a time." }).exactOptional(),
  },
  "limits: a map of `concurrency`, `key` and `rate`",
).meta({ id: "Limits" });
