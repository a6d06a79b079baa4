import type { z } from "zod";

import { either, mapOf, wholeNumber } from "./leaf.ts";
import { nameModel } from "./name.ts";
import { rateModel, type RateDocument } from "./rate.ts";

/** A capacity, written as a number; or a quota, written as a rate. */
export type ResourceDocument = number | RateDocument;

const AMOUNT_MAX = 1_000_000;
const EXPECTED = "a capacity such as `2`, or a rate such as `{ rate: 30, per: 1m }`";

const resourceModel: z.ZodType<ResourceDocument> = either([wholeNumber(1, AMOUNT_MAX), rateModel], EXPECTED);

export const resourcesModel: z.ZodType<Readonly<Record<string, ResourceDocument>>> = mapOf(
  nameModel("a resource"),
  resourceModel,
  "a map from names to capacities or rates",
);

/** What a step takes while it runs. */
export const claimsModel: z.ZodType<Readonly<Record<string, number>>> = mapOf(
  nameModel("a resource"),
  wholeNumber(1, AMOUNT_MAX),
  "a map from resources to amounts",
);
