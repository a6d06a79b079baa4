// Failures for outputs that cannot be stored. They are permanent, because the next attempt would return the same
// (DATA-8, JOURNAL-4).

import { maskAndCut, type Failure, type TextFilter } from "@segno/kernel";
import { tooLargeText, WHOLE, type FrozenCopy } from "./copy-json.ts";

export type ValueRefusal = Exclude<FrozenCopy, { readonly kind: "copied" }>;

/** The subjects of messages. */
export const OUTPUT = "the output";
export const EXPANDED_STEPS = "the list of steps that it returned";

/** A value whose getters or conversions throw. */
export const UNREADABLE_VALUE: ValueRefusal = Object.freeze({
  kind: "not-json",
  path: WHOLE,
  found: "something that throws when it is read",
});

/** `subject` starts the message. Paths and names of classes are text of user code, so they are masked and cut. */
export function valueFailure(subject: string, refusal: ValueRefusal, maskText: TextFilter): Failure {
  if (refusal.kind === "too-large")
    return { class: "permanent", code: "VALUE_TOO_LARGE", message: tooLargeText(subject, refusal.bytes) };
  const { found, path } = refusal;
  const location = path === WHOLE ? "" : ` at \`${path}\``;
  return {
    class: "permanent",
    code: "OUTPUT_NOT_JSON",
    message: maskAndCut(`${subject} holds ${found}${location}, which is not JSON`, maskText),
    path: maskAndCut(path, maskText),
  };
}
