// The token of an attempt, for calls to others that must count once (IDEM-4).

import { hash } from "node:crypto";
import type { Json } from "@segno/kernel";
import { hashOf } from "../turn/seal.ts";

/** The same for every attempt of a step, before and after a restart. */
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
