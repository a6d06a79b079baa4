// Names: what a store finds by, and has to keep exactly as it came.
//
// SQLite ends a text at U+0000 where it compares, PostgreSQL refuses it, and half of a surrogate pair is no UTF-8. A name
// with either could be written to one store and never be found, or never be written at all, so it is refused before anything
// is. Bodies are not names: they are JSON, which can say anything.

import { executionId, SegnoError, type ExecutionId } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";

/** Names stand in many rows, and in every list. */
const NAME_MAX = 1024;

export function isName(text: unknown): text is string {
  return typeof text === "string" && text.length <= NAME_MAX && text.isWellFormed() && !text.includes("\u0000");
}

/** `what` begins the message: "the id of an execution", for example. Programs in plain JavaScript give anything. */
export function checkName(what: string, text: unknown): void {
  if (isName(text)) return;
  const shown = describeValue(text);
  throw new SegnoError(
    "NAME_INVALID",
    `${what} is at most ${NAME_MAX} characters of text, without U+0000 and without half characters, not ${shown}`,
  );
}

/** The nearest thing that is a name, for what is only there to be read. */
export function asName(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** The id of an execution as somebody gave it. */
export function toExecutionId(text: string): ExecutionId {
  checkName("the id of an execution", text);
  return executionId(text);
}
