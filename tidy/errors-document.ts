// docs/reference/errors.md, from the catalogue.

import { CATALOGUE } from "../packages/segno/src/errors/catalogue.ts";

export function errorsDocument(): string {
  const entries = Object.entries(CATALOGUE).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return [
    "# Error codes",
    "",
    "`npm run generate` writes this document from the codes that each package declares (`packages/segno/src/errors/catalogue.ts`).",
    "A code never changes its meaning. Messages may change, so programs should compare codes and not messages.",
    ...entries.flatMap(([code, { meaning, remedy }]) => ["", `## ${code}`, "", meaning, "", `*What to do:* ${remedy}`]),
    "",
  ].join("\n");
}
