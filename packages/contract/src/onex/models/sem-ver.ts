import type { z } from "zod";

import { openMap, wholeNumberFrom } from "./open-map.ts";

export interface RawSemVer {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const shape = {
  major: wholeNumberFrom(0).meta({ description: "Raised for what breaks its users." }),
  minor: wholeNumberFrom(0).meta({ description: "Raised for what is new." }),
  patch: wholeNumberFrom(0).meta({ description: "Raised for what is repaired." }),
};

export const SEM_VER_KEYS: readonly string[] = Object.keys(shape);

export const semVerSchema: z.ZodType<RawSemVer> = openMap(
  shape,
  "a version: a map of `major`, `minor` and `patch`",
).meta({ id: "SemVer" });
