// The token of an attempt, for calls to others that must count once (IDEM-4).

import crypto from "node:crypto";
import { canonicalJson } from "@segno/contract";
import type { Json } from "@segno/kernel";

/** By canonical JSON all through, so that others can make it too. The same for every attempt of a step, before and after a restart. */
export function attemptToken(parts: {
  readonly executionId: string;
  readonly input: Json;
  readonly stepId: string;
  readonly workflowId: string;
}): string {
  const { executionId, input, stepId, workflowId } = parts;
  // Keys in alphabetical order and no spaces: this is the canonical form of this object.
  return crypto.hash(
    "sha256",
    JSON.stringify({ executionId, inputHash: crypto.hash("sha256", canonicalJson(input), "hex"), stepId, workflowId }),
    "hex",
  );
}
