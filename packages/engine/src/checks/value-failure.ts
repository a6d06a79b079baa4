// Failures for outputs that cannot be stored. They are permanent, because the next attempt would return the same
// (DATA-8, JOURNAL-4).

import type { Failure } from "@segno/kernel";
import { tooLargeText, WHOLE } from "./copy-json.ts";

/** `what` starts the message, for example "the output". */
export function notJson(subject: string, path: string, found: string): Failure {
  const location = path === "" || path === WHOLE ? "" : ` at \`${path}\``;
  return {
    class: "permanent",
    code: "OUTPUT_NOT_JSON",
    message: `${subject} holds ${found}${location}, which is not JSON`,
    path,
  };
}

export function tooLarge(subject: string, bytes?: number): Failure {
  return { class: "permanent", code: "VALUE_TOO_LARGE", message: tooLargeText(subject, bytes) };
}
