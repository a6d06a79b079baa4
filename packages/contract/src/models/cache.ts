import type { Json } from "@segno/kernel";
import { z } from "zod";

import { durationModel, type DurationDocument } from "./duration.ts";
import { closed, either, json } from "./leaf.ts";

export interface CachePolicyDocument {
  readonly key?: Json;
  readonly maxAge?: DurationDocument;
}

export type CacheDocument = boolean | CachePolicyDocument;

const EXPECTED = "true or false, or a map of `key` and `maxAge`";

const policy = closed(
  {
    key: json.meta({ description: "A template; the step's definition and input when it is absent." }).exactOptional(),
    maxAge: durationModel
      .meta({ description: "How old a remembered output may be; any age when it is absent." })
      .exactOptional(),
  },
  EXPECTED,
);

export const cacheModel: z.ZodType<CacheDocument> = either([z.boolean(), policy], EXPECTED).meta({
  id: "Cache",
  description: "Remember the output and use it again instead of running the step.",
});
