// What a function returned or threw, as the outcome of its attempt.

import {
  checkJson,
  classifyError,
  toFailure,
  inline,
  type Failure,
  type FailureClass,
  type Outcome,
  type TextFilter,
} from "@segno/kernel";
import { ownJson } from "../checks/copy-json.ts";
import { EXPANSION_REFUSED, isExpansion, outcomeOfExpansion } from "../agents/expansion.ts";
import { isSkip } from "../agents/skip.ts";
import { notJson, tooLarge } from "../checks/value-failure.ts";

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

/** What it returns may be anything, also something that throws when it is looked at (R2 of the runner). */
export function outcomeOfValue(value: unknown, mayExpand: boolean = true): Outcome {
  if (value === undefined || value === null) return NOTHING;
  try {
    return toOutcome(value, mayExpand);
  } catch {
    return { kind: "failed", failure: notJson("the output", "", "something that throws when it is read") };
  }
}

function toOutcome(value: unknown, mayExpand: boolean): Outcome {
  if (isSkip(value)) return { kind: "skipped", message: value.reason };
  if (isExpansion(value)) return mayExpand ? outcomeOfExpansion(value) : { kind: "failed", failure: EXPANSION_REFUSED };
  const check = checkJson(value);
  if (check.kind === "not-json") return { kind: "failed", failure: notJson("the output", check.path, check.found) };
  const owned = ownJson(check);
  return owned.kind === "owned"
    ? { kind: "succeeded", output: inline(owned.json) }
    : { kind: "failed", failure: tooLarge("the output", owned.bytes) };
}

/** What kind of failure an error is (FAIL-1). It may take its time. */
export type Classify = (error: unknown) => FailureClass | PendingClass;

/** What holds unless something else is said in time, and what is going to be said. */
export interface PendingClass {
  readonly meanwhile: FailureClass;
  readonly said: Promise<FailureClass | undefined>;
}

export interface ErrorContext {
  readonly isAborted: boolean;
  readonly classify?: Classify;
  /** What may be shown of its messages. */
  readonly maskText?: TextFilter;
}

const PENDING = new WeakMap<Failure, Promise<FailureClass | undefined>>();

/** What a classifier of the user is going to say about a failure; nothing where it has answered already. */
export function pendingClass(failure: Failure): Promise<FailureClass | undefined> | undefined {
  return PENDING.get(failure);
}

export function outcomeOfError(error: unknown, judgement: ErrorContext): Outcome {
  const { isAborted, classify = classifyError, maskText } = judgement;
  try {
    const judged = isAborted ? "cancelled" : classify(error);
    if (typeof judged === "string") return { kind: "failed", failure: toFailure(error, judged, maskText) };
    const failure = toFailure(error, judged.meanwhile, maskText);
    PENDING.set(failure, judged.said);
    return { kind: "failed", failure };
  } catch {
    return { kind: "failed", failure: UNREADABLE };
  }
}

const UNREADABLE: Failure = Object.freeze({
  class: "transient",
  code: "Error",
  message: "what was thrown cannot be read",
});
