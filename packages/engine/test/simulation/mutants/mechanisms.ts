// All planted bugs, by the mechanism that each breaks.

import { DURABILITY } from "./durability.ts";
import { RECOVERY } from "./recovery.ts";
import { OWNERSHIP } from "./ownership.ts";
import { CALLS } from "./calls.ts";
import { KEYS } from "./keys.ts";
import { RETENTION } from "./retention.ts";
import { ORDER } from "./order.ts";
import { ATTEMPTS } from "./attempts.ts";
import { DEADLINES } from "./deadlines.ts";
import { SCHEDULING } from "./scheduling.ts";
import { WAITS } from "./waits.ts";
import { SCOPES } from "./scopes.ts";
import { UNDOING } from "./undoing.ts";
import { STOPPING } from "./stopping.ts";
import type { Mutant } from "../../../src/testing/mutant.ts";

export const MECHANISMS: Readonly<Record<string, readonly Mutant[]>> = {
  durability: DURABILITY,
  recovery: RECOVERY,
  ownership: OWNERSHIP,
  keys: KEYS,
  retention: RETENTION,
  order: ORDER,
  attempts: ATTEMPTS,
  "recorded calls": CALLS,
  deadlines: DEADLINES,
  scheduling: SCHEDULING,
  waits: WAITS,
  scopes: SCOPES,
  undoing: UNDOING,
  stopping: STOPPING,
};

export const MUTANTS: readonly Mutant[] = Object.values(MECHANISMS).flat();
