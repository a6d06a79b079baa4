// The failure for an output that cannot be stored. It is permanent, because the next attempt would return the same
// (DATA-8, JOURNAL-4).

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
