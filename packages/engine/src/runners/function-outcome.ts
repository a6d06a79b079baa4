// What a function returned or threw, as the outcome of its attempt.

import {
  checkJson,
  classifyError,
  failureOf,
  inline,
  VALUE_BYTES_MAX,
  type Failure,
  type FailureClass,
  type Outcome,
  type Shown,
} from "@segno/kernel";
import { ownJson } from "../own-json.ts";
import { isExpansion, outcomeOfExpansion } from "./expansion.ts";
import { isSkip } from "./skip.ts";

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

/** What it returns may be anything, also something that throws when it is looked at (R2 of the runner). */
export function outcomeOfValue(value: unknown): Outcome {
  if (value === undefined || value === null) return NOTHING;
  try {
    return outcomeOf(value);
  } catch {
    return { kind: "failed", failure: notJson("", "something that throws when it is read") };
  }
}

function outcomeOf(value: unknown): Outcome {
  if (isSkip(value)) return { kind: "skipped", message: value.reason };
  if (isExpansion(value)) return outcomeOfExpansion(value);
  const check = checkJson(value);
  if (check.kind === "not-json") return { kind: "failed", failure: notJson(check.path, check.found) };
  const owned = ownJson(check.json);
  return owned.kind === "owned"
    ? { kind: "succeeded", output: inline(owned.json) }
    : { kind: "failed", failure: tooLarge(owned.bytes) };
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

function notJson(path: string, found: string): Failure {
  return { class: "permanent", code: "OUTPUT_NOT_JSON", message: `the output holds ${found}, which is not JSON`, path };
}

function tooLarge(bytes: number): Failure {
  return {
    class: "permanent",
    code: "VALUE_TOO_LARGE",
    message: `the output has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`,
  };
}
