// docs/reference/errors.md, from the catalogue.

import { CATALOGUE } from "../packages/segno/src/errors/catalogue.ts";

export function errorsDocument(): string {
  const entries = Object.entries(CATALOGUE).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return [
    "# Error codes",
    "",
    "Made by `npm run generate` from the codes that each package declares (`packages/segno/src/errors/catalogue.ts`). A code keeps its meaning for ever;",
    "messages may be improved, so programs should look at codes.",
    ...entries.flatMap(([code, { meaning, remedy }]) => ["", `## ${code}`, "", meaning, "", `*What to do:* ${remedy}`]),
    "",
  ].join("\n");
}
