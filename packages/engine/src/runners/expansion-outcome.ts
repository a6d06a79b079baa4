// Turns an expansion that an agent returned into the outcome of its attempt. Steps that are generated at run time can be
// invalid; the step then fails with the reason.
//
//   XO1. Each field is read once, and everything after that uses the copy: a field may be a getter, or have a `toJSON`.
//   XO2. The steps and the id of the result step are written to the journal, so the rules for outputs apply to them. They are masked before they
//        are checked: a message about them quotes a part of a text, and a cut could leave half a secret (DATA-9).

import { toDefinition, type RawStep } from "@segno/contract";
import {
  checkJson,
  formatJsonPath,
  isJsonArray,
  isJsonObject,
  maskAndCut,
  validateExpansion,
  type Failure,
  type Json,
  type JsonObject,
  type Outcome,
  type Problem,
  type TextFilter,
} from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import { frozenCopy } from "../checks/copy-json.ts";
import { EXPANDED_STEPS, valueFailure } from "../checks/value-failure.ts";
import { maskJson } from "../secrets/mask-json.ts";

interface ReturnedExpansion {
  readonly steps: unknown;
  /** The id of the step whose output becomes the output of the expanded step. */
  readonly result: unknown;
}

export function outcomeOfExpansion(expansion: ReturnedExpansion, maskText: TextFilter): Outcome {
  const copy = frozenCopy(checkJson({ steps: expansion.steps, result: expansion.result }));
  if (copy.kind !== "copied") return toFailedOutcome(valueFailure(EXPANDED_STEPS, copy, maskText));
  const owned = copy.json as JsonObject;
  const step = owned["result"] ?? null;
  if (step !== null && typeof step !== "string")
    return toFailedOutcome(invalid(`expected the id of a step as \`result\`, found ${describeKind(step)}`));
  // `toDefinition` checks that this is a list of steps; until then the cast is unproven.
  const steps = masked(owned["steps"] ?? null, maskText) as unknown as readonly RawStep[];
  const made = toDefinition({ name: "expansion", steps }, validateExpansion);
  if (made.kind === "problems") return toFailedOutcome(invalid(maskAndCut(listProblems(made.problems), maskText)));
  return { kind: "expanded", steps: made.definition.steps, ...(step === null ? {} : { result: maskText(step) }) };
}

/** The failure of an agent that does not run as a step of a workflow. */
export const EXPANSION_REFUSED: Failure = Object.freeze({
  class: "permanent",
  code: "EXPANSION_INVALID",
  message: "this agent cannot return the result of `expand`: it does not run as a step of a workflow",
});

function toFailedOutcome(failure: Failure): Outcome {
  return { kind: "failed", failure };
}

function masked(json: Json, maskText: TextFilter): Json {
  if (typeof json === "string") return maskText(json);
  return isJsonArray(json) || isJsonObject(json) ? maskJson(json, maskText) : json;
}

function invalid(reason: string): Failure {
  return { class: "permanent", code: "EXPANSION_INVALID", message: `the steps that it returned cannot run: ${reason}` };
}

function listProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${formatJsonPath(path)}: ${message}`).join("; ");
}
