import type { z } from "zod";

import { strictObject, wholeNumber } from "./zod-helpers.ts";
import { rateSchema, type RawRate } from "./rate.ts";

/** Limits that hold for all executions of an engine together. */
export interface RawLimits {
  /** The maximum number that run at once. */
  readonly concurrency?: number;
  /** The maximum number that start in a period, such as `30/1m`. */
  readonly rate?: RawRate;
}

export const limitsSchema: z.ZodType<RawLimits> = strictObject(
  {
    concurrency: wholeNumber(1, 10_000)
      .meta({ description: "The maximum number that run at the same time, in all executions together." })
      .exactOptional(),
    rate: rateSchema.meta({ description: "The maximum number of starts in a period." }).exactOptional(),
  },
  "limits: a map of `concurrency` and `rate`",
).meta({ id: "Limits" });
