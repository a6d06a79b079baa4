// Names: texts that a store searches by, and must keep exactly.
//
// SQLite ends a text at U+0000 in comparisons, PostgreSQL refuses it, and a lone surrogate is not valid UTF-8. A name
// with either could be stored and never found, or never stored, so it is refused in advance. Bodies are not names: they
// are JSON, which can express any text.

import { executionId, SegnoError, type ExecutionId } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";

/** Names are in many rows and in every list. */
const NAME_MAX = 1024;

/** Whether a store can keep the text as an id or a name. */
export function isName(text: unknown): text is string {
  return typeof text === "string" && text.length <= NAME_MAX && text.isWellFormed() && !text.includes("\u0000");
}

/** `what` begins the message: "the id of an execution", for example. Plain JavaScript may pass any value. */
export function checkName(subject: string, text: unknown): void {
  if (isName(text)) return;
  const shown = describeValue(text);
  throw new SegnoError(
    "NAME_INVALID",
    `${subject} must be text of at most ${NAME_MAX} characters, without U+0000 and lone surrogates, not ${shown}`,
  );
}

/** The nearest valid name, for texts that are only displayed. */
export function asName(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** The id of an execution from user input. */
export function toExecutionId(text: string): ExecutionId {
  checkName("the id of an execution", text);
  return executionId(text);
}
