// The mismatches with a schema as one line: each path with its problem.

import type { SchemaMismatch } from "./world.ts";

/** The number of mismatches that are listed; the rest is only counted. */
const TOLD_MAX = 3;

/** `the output: \`a.b\` is missing; \`c\` must be string (and 2 more)`. */
export function mismatchText(what: string, mismatches: readonly SchemaMismatch[]): string {
  const told = mismatches
    .slice(0, TOLD_MAX)
    .map(({ path, message }) => (path === "" ? message : `\`${path}\` ${message}`));
  const more = mismatches.length - told.length;
  return `${what}: ${told.join("; ")}${more === 0 ? "" : ` (and ${more} more)`}`;
}
