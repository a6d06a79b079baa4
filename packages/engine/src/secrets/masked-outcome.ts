// Masks the outcome of an attempt before it is stored (DATA-9).

import { inlineValue, type Json, type Outcome, type StepDefinition } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { Masker } from "./masker.ts";

export function maskedOutcome(outcome: Outcome, masker: Masker): Outcome {
  if (masker.isIdle) return outcome;
  switch (outcome.kind) {
    case "succeeded":
      return outcome.output.kind === "inline" ? maskSucceeded(outcome, outcome.output.json, masker) : outcome;
    case "failed":
      return { kind: "failed", failure: masker.failure(outcome.failure) };
    case "skipped":
      return { kind: "skipped", message: masker.text(outcome.message) };
    case "expanded":
      return maskExpanded(outcome, masker);
  }
}

function maskExpanded({ steps, result }: Outcome & { kind: "expanded" }, masker: Masker): Outcome {
  const masked = masker.json(steps as unknown as Json) as unknown as StepDefinition[];
  return { kind: "expanded", steps: masked, ...(result === undefined ? {} : { result: masker.text(result) }) };
}

function maskSucceeded(outcome: Outcome & { kind: "succeeded" }, json: Json, masker: Masker): Outcome {
  const masked = masker.json(json);
  return masked === json ? outcome : { ...outcome, output: inlineValue(deepFreeze(masked)) };
}
