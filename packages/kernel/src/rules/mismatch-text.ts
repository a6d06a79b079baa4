// What does not fit a schema, in one line: each place with what is wrong there.

import type { SchemaMismatch } from "./world.ts";

/** So many are told; of the rest, how many there are. */
const TOLD_MAX = 3;

/** `the output: \`a.b\` is missing; \`c\` must be string (and 2 more)`. */
export function mismatchText(what: string, mismatches: readonly SchemaMismatch[]): string {
  const told = mismatches
    .slice(0, TOLD_MAX)
    .map(({ path, message }) => (path === "" ? message : `\`${path}\` ${message}`));
  const more = mismatches.length - told.length;
  return `${what}: ${told.join("; ")}${more === 0 ? "" : ` (and ${more} more)`}`;
}
