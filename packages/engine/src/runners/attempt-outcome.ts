// Turns a returned value or a thrown error into the outcome of an attempt.
//
// "Class" means the failure class everywhere in this file: transient, permanent, timeout or cancelled.

import {
  checkJson,
  classifyError,
  toFailure,
  inlineValue,
  maskAndCut,
  type Failure,
  type FailureClass,
  type Outcome,
  type TextFilter,
} from "@segno/kernel";
import { frozenCopy } from "../checks/copy-json.ts";
import { isExpansion } from "../agents/expansion.ts";
import { isLastIteration, type LastIteration } from "../agents/last-iteration.ts";
import { isSkip, skipReason } from "../agents/skip.ts";
import { OUTPUT, UNREADABLE_VALUE, valueFailure } from "../checks/value-failure.ts";
import { EXPANSION_REFUSED, outcomeOfExpansion } from "./expansion-outcome.ts";
import { withStacks } from "./failure-stack.ts";

const NULL_OUTPUT: Outcome = Object.freeze({ kind: "succeeded", output: inlineValue(null) });

export interface ValueContext {
  /** Masks secrets in messages, before they are cut (DATA-9). */
  readonly maskText: TextFilter;
  /**
   * False for an agent that must not return an expansion, which is a list of steps to run in place of its step
   * (`expansion.ts`).
   */
  readonly mayExpand?: boolean | undefined;
}

/** An agent may return anything, even an object that throws when it is read. */
export function outcomeOfValue(value: unknown, context: ValueContext): Outcome {
  if (value === undefined || value === null) return NULL_OUTPUT;
  try {
    return toOutcome(value, context);
  } catch {
    return { kind: "failed", failure: valueFailure(OUTPUT, UNREADABLE_VALUE, context.maskText) };
  }
}

function toOutcome(value: unknown, { maskText, mayExpand = true }: ValueContext): Outcome {
  if (isLastIteration(value)) return lastOutcome(value, { maskText, mayExpand });
  if (isSkip(value)) return { kind: "skipped", message: maskAndCut(skipReason(value), maskText) };
  if (isExpansion(value))
    return mayExpand ? outcomeOfExpansion(value, maskText) : { kind: "failed", failure: EXPANSION_REFUSED };
  const copy = frozenCopy(checkJson(value));
  return copy.kind === "copied"
    ? { kind: "succeeded", output: inlineValue(copy.json) }
    : { kind: "failed", failure: valueFailure(OUTPUT, copy, maskText) };
}

/** STATE-13: the `until` function of the repetition has ended it. */
function lastOutcome({ output }: LastIteration, context: ValueContext): Outcome {
  const outcome = outcomeOfValue(output, context);
  return outcome.kind === "succeeded" ? { ...outcome, isLast: true } : outcome;
}

/** Finds the failure class of an error (FAIL-1). The answer may be asynchronous. */
export type Classify = (error: unknown) => FailureClass | PendingFailureClass;

/** A classifier that has not answered yet: the class that applies if it does not answer in time, and its answer. */
export interface PendingFailureClass {
  readonly fallback: FailureClass;
  readonly result: Promise<FailureClass | undefined>;
}

export interface ErrorContext {
  /** True if the attempt was aborted, whatever the reason, a timeout included: then every error is `cancelled`. */
  readonly isAborted: boolean;
  readonly classify?: Classify;
  /** Masks secrets in messages, before they are cut (DATA-9). */
  readonly maskText: TextFilter;
}

const PENDING_CLASSES = new WeakMap<Failure, Promise<FailureClass | undefined>>();

/** The pending answer of the user's classifier; `undefined` if it has answered already. */
export function pendingFailureClass(failure: Failure): Promise<FailureClass | undefined> | undefined {
  return PENDING_CLASSES.get(failure);
}

export function outcomeOfError(error: unknown, context: ErrorContext): Outcome {
  const { isAborted, classify = classifyError, maskText } = context;
  try {
    const failureClass = isAborted ? "cancelled" : classify(error);
    const isKnown = typeof failureClass === "string";
    const bare = toFailure(error, maskText, isKnown ? failureClass : failureClass.fallback);
    const failure = withStacks(bare, error, maskText);
    if (isKnown) return { kind: "failed", failure };
    PENDING_CLASSES.set(failure, failureClass.result);
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
