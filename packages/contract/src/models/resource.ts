import type { z } from "zod";

import { oneOf, strictObject, union, record, wholeNumber } from "./zod-helpers.ts";
import { nameModel } from "./name.ts";
import { rateModel, type RateDocument } from "./rate.ts";

export interface CapacityDocument {
  readonly capacity: number;
  readonly onAbandon?: "hold" | "release" | undefined;
}

/** A capacity, written as a number or as a map with `onAbandon`; or a quota, written as a rate. */
export type ResourceDocument = number | CapacityDocument | RateDocument;

const AMOUNT_MAX = 1_000_000;
const EXPECTED = "a capacity such as `2`, or a rate such as `{ rate: 30, per: 1m }`";

const capacityModel: z.ZodType<CapacityDocument> = strictObject(
  { capacity: wholeNumber(1, AMOUNT_MAX), onAbandon: oneOf("hold", "release").optional() },
  EXPECTED,
).meta({
  id: "Capacity",
  description: "A capacity, and whether an attempt that was abandoned and still runs holds it or has given it back.",
});

const resourceModel: z.ZodType<ResourceDocument> = union(
  [wholeNumber(1, AMOUNT_MAX), capacityModel, rateModel],
  EXPECTED,
);

export const resourcesModel: z.ZodType<Readonly<Record<string, ResourceDocument>>> = record(
  nameModel("a resource"),
  resourceModel,
  "a map from names to capacities or rates",
);

/** The amounts that a step uses while it runs. */
export const claimsModel: z.ZodType<Readonly<Record<string, number>>> = record(
  nameModel("a resource"),
  wholeNumber(1, AMOUNT_MAX),
  "a map from resources to amounts",
);
