import type { z } from "zod";

import { oneOf, strictObject, union, record, wholeNumber } from "./zod-helpers.ts";
import { nameSchema } from "./name.ts";
import { rateSchema, type RawRate } from "./rate.ts";

/** A resource with a limited amount, which steps use while they run. */
export interface RawCapacity {
  /** The amount that attempts can use at once, in all executions of the engine. */
  readonly capacity: number;
  /** Whether a function that ignores its abort signal keeps the amount until it ends (`hold`, the default) or not. */
  readonly onAbandon?: "hold" | "release" | undefined;
}

/** A capacity, written as a number or as a map with `onAbandon`; or a quota, written as a rate. */
export type RawResource = number | RawCapacity | RawRate;

const AMOUNT_MAX = 1_000_000;
const EXPECTED = "a capacity such as `2`, or a rate such as `{ rate: 30, per: 1m }`";

const capacitySchema: z.ZodType<RawCapacity> = strictObject(
  { capacity: wholeNumber(1, AMOUNT_MAX), onAbandon: oneOf("hold", "release").optional() },
  EXPECTED,
).meta({
  id: "Capacity",
  description: "A capacity, and whether an abandoned attempt that still runs keeps it in use or frees it.",
});

const resourceSchema: z.ZodType<RawResource> = union(
  [wholeNumber(1, AMOUNT_MAX), capacitySchema, rateSchema],
  EXPECTED,
);

export const resourcesSchema: z.ZodType<Readonly<Record<string, RawResource>>> = record(
  nameSchema("a resource"),
  resourceSchema,
  "a map from names to capacities or rates",
);

/** The amounts that a step uses while it runs. */
export const claimsSchema: z.ZodType<Readonly<Record<string, number>>> = record(
  nameSchema("a resource"),
  wholeNumber(1, AMOUNT_MAX),
  "a map from resources to amounts",
);
