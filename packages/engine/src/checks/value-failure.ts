// Why what a step returned cannot be kept: a failure for good, since the next attempt returns the same (DATA-8, JOURNAL-4).

import type { Failure } from "@segno/kernel";
import { tooLargeText, WHOLE } from "./copy-json.ts";

/** `what` begins the message: "the output", for example. */
export function notJson(what: string, path: string, found: string): Failure {
  const place = path === "" || path === WHOLE ? "" : ` at \`${path}\``;
  return {
    class: "permanent",
    code: "OUTPUT_NOT_JSON",
    message: `${what} holds ${found}${place}, which is not JSON`,
    path,
  };
}

export function tooLarge(what: string, bytes?: number): Failure {
  return { class: "permanent", code: "VALUE_TOO_LARGE", message: tooLargeText(what, bytes) };
}
