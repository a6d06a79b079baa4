import type { z } from "zod";

import { openMap, wholeNumberFrom } from "./open-map.ts";

export interface RawSemVer {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const shape = {
  major: wholeNumberFrom(0).meta({ description: "Raised for breaking changes." }),
  minor: wholeNumberFrom(0).meta({ description: "Raised for additions." }),
  patch: wholeNumberFrom(0).meta({ description: "Raised for repairs." }),
};

export const SEM_VER_KEYS: readonly string[] = Object.keys(shape);

export const semVerSchema: z.ZodType<RawSemVer> = openMap(
  shape,
  "a version: a map of `major`, `minor` and `patch`",
).meta({ id: "SemVer" });
