// The mismatches with a schema as one line: each path with its problem.

import type { SchemaMismatch } from "./stored-values.ts";

/** The number of mismatches that are listed; the rest is only counted. */
const SHOWN_MAX = 3;

/** `the output: \`a.b\` is missing; \`c\` must be string (and 2 more)`. */
export function mismatchText(subject: string, mismatches: readonly SchemaMismatch[]): string {
  const shown = mismatches
    .slice(0, SHOWN_MAX)
    .map(({ path, message }) => (path === "" ? message : `\`${path}\` ${message}`));
  const more = mismatches.length - shown.length;
  return `${subject}: ${shown.join("; ")}${more === 0 ? "" : ` (and ${more} more)`}`;
}
