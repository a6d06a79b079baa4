// What a function returned or threw, as the outcome of its attempt.

import {
  checkJson,
  classifyError,
  failureOf,
  inline,
  type Failure,
  type FailureClass,
  type Outcome,
  type Shown,
} from "@segno/kernel";
import { ownJson } from "../own-json.ts";
import { EXPANSION_REFUSED, isExpansion, outcomeOfExpansion } from "./expansion.ts";
import { isSkip } from "./skip.ts";
import { notJson, tooLarge } from "./value-failure.ts";

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

/** What it returns may be anything, also something that throws when it is looked at (R2 of the runner). */
export function outcomeOfValue(value: unknown, mayExpand: boolean = true): Outcome {
  if (value === undefined || value === null) return NOTHING;
  try {
    return outcomeOf(value, mayExpand);
  } catch {
    return { kind: "failed", failure: notJson("the output", "", "something that throws when it is read") };
  }
}

function outcomeOf(value: unknown, mayExpand: boolean): Outcome {
  if (isSkip(value)) return { kind: "skipped", message: value.reason };
  if (isExpansion(value)) return mayExpand ? outcomeOfExpansion(value) : { kind: "failed", failure: EXPANSION_REFUSED };
  const check = checkJson(value);
  if (check.kind === "not-json") return { kind: "failed", failure: notJson("the output", check.path, check.found) };
  const owned = ownJson(check);
  return owned.kind === "owned"
    ? { kind: "succeeded", output: inline(owned.json) }
    : { kind: "failed", failure: tooLarge("the output", owned.bytes) };
}

export interface Judgement {
  readonly isAborted: boolean;
  readonly classify?: (error: unknown) => FailureClass;
  /** What may be shown of its messages. */
  readonly shown?: Shown;
}

export function outcomeOfError(error: unknown, judgement: Judgement): Outcome {
  const { isAborted, classify = classifyError, shown } = judgement;
  try {
    return { kind: "failed", failure: failureOf(error, isAborted ? "cancelled" : classify(error), shown) };
  } catch {
    return { kind: "failed", failure: UNREADABLE };
  }
}

const UNREADABLE: Failure = Object.freeze({
  class: "transient",
  code: "Error",
  message: "what was thrown cannot be read",
});
