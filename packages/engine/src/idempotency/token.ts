// The idempotency token of an attempt, for external calls that must count once (IDEM-4).

import crypto from "node:crypto";
import { canonicalJson } from "@segno/contract";
import type { Json } from "@segno/kernel";

/**
 * The hash of canonical JSON, so that other systems can compute it. It is the same for every attempt of a step, before
 * and after a restart.
 */
export function attemptToken(parts: {
  readonly executionId: string;
  readonly input: Json;
  readonly stepId: string;
  readonly workflowId: string;
}): string {
  const { executionId, input, stepId, workflowId } = parts;
  // The keys are in alphabetical order and there are no spaces: this is the canonical form of the object.
  return crypto.hash(
    "sha256",
    JSON.stringify({ executionId, inputHash: crypto.hash("sha256", canonicalJson(input), "hex"), stepId, workflowId }),
    "hex",
  );
}
