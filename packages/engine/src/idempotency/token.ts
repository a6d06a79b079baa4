// Tokens and keys (IDEM).

import { hash } from "node:crypto";
import { SegnoError, type Json } from "@segno/kernel";
import { hashOf } from "../turn/seal.ts";

/** IDEM-1: how long after success a key still finds its execution. At exactly this age it still does. */
export const KEY_LIFE_MS = 600_000;
/** IDEM-3. */
export const KEY_SWEEP_MS = 60_000;

const KEY = /^[A-Za-z0-9-]{1,255}$/u;

export function checkKey(key: string): void {
  if (!KEY.test(key))
    throw new SegnoError(
      "IDEMPOTENCY_KEY_INVALID",
      `an idempotency key is 1 to 255 of A-Z, a-z, 0-9 and hyphen, not ${JSON.stringify(key).slice(0, 80)}`,
    );
}

/** IDEM-4: the same for every attempt of a step, before and after a restart. */
export function attemptToken(parts: {
  readonly executionId: string;
  readonly input: Json;
  readonly stepId: string;
  readonly workflowId: string;
}): string {
  const { executionId, input, stepId, workflowId } = parts;
  // Keys in alphabetical order and no spaces: this is the canonical form of this object.
  return hash(
    "sha256",
    JSON.stringify({ executionId, inputHash: hashOf(input).slice("sha256:".length), stepId, workflowId }),
    "hex",
  );
}
