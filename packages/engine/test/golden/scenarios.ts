// Every golden execution, by subject.

import { ATTEMPTS } from "./attempts.ts";
import { BARRIERS } from "./barriers.ts";
import { CALLS } from "./calls.ts";
import { PLACES } from "./places.ts";
import { REPEATS } from "./repeats.ts";
import type { Scenario } from "./scenario.ts";
import { SCOPES } from "./scopes.ts";
import { STOPS } from "./stops.ts";
import { WAITS } from "./waits.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...ATTEMPTS,
  CALLS,
  ...STOPS,
  ...SCOPES,
  ...WAITS,
  BARRIERS,
  REPEATS,
  PLACES,
];
