// Turns the return value or the error of a function into the outcome of its attempt.

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
import { frozenCopy } from "../checks/copy-json.ts";
import { EXPANSION_REFUSED, isExpansion, outcomeOfExpansion } from "../agents/expansion.ts";
import { isSkip } from "../agents/skip.ts";
import { notJson, tooLarge } from "../checks/value-failure.ts";

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

/** A function may return anything, even an object that throws when it is read. */
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
  const owned = frozenCopy(check);
  return owned.kind === "copied"
    ? { kind: "succeeded", output: inline(owned.json) }
    : { kind: "failed", failure: tooLarge("the output", owned.bytes) };
}

/** Classifies an error (FAIL-1). The answer may be asynchronous. */
export type Classify = (error: unknown) => FailureClass | PendingClass;

/** The class that applies unless the classifier answers in time, and the pending answer. */
export interface PendingClass {
  readonly fallback: FailureClass;
  readonly result: Promise<FailureClass | undefined>;
}

export interface ErrorContext {
  readonly isAborted: boolean;
  readonly classify?: Classify;
  /** Masks secrets in messages. */
  readonly maskText?: TextFilter;
}

const PENDING = new WeakMap<Failure, Promise<FailureClass | undefined>>();

/** The pending answer of the user's classifier; `undefined` if it has answered already. */
export function pendingClass(failure: Failure): Promise<FailureClass | undefined> | undefined {
  return PENDING.get(failure);
}

export function outcomeOfError(error: unknown, context: ErrorContext): Outcome {
  const { isAborted, classify = classifyError, maskText } = context;
  try {
    const failureClass = isAborted ? "cancelled" : classify(error);
    if (typeof failureClass === "string") return { kind: "failed", failure: toFailure(error, failureClass, maskText) };
    const failure = toFailure(error, failureClass.fallback, maskText);
    PENDING.set(failure, failureClass.result);
    return { kind: "failed", failure };
  } catch {
    return { kind: "failed", failure: UNREADABLE };
  }
}

const UNREADABLE: Failure = Object.freeze({
  class: "transient",
  code: "Error",
  message: "the thrown value cannot be read",
});
