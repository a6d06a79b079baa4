// A short excerpt of a server's text, for messages.
//
//   EX1. It is one line of printable characters.
//   EX2. A secret in it is never cut in half: half a secret would not be masked (DATA-9).

import type { TextFilter } from "@segno/kernel";

const EXCERPT_MAX = 300;

/** `isCut`: the text continues beyond what was read. `maskText` masks secrets. */
export function excerpt(text: string, isCut: boolean, maskText: TextFilter): string {
  const line = maskText(text)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  if (line.length <= EXCERPT_MAX && !isCut) return line;
  return `${wholeWords(line.slice(0, EXCERPT_MAX))}…`;
}

/** Ends at the last separator, so that no word is cut. */
function wholeWords(text: string): string {
  return /^.*[\s"',;<>()[\]{}]/u.exec(text)?.[0].trimEnd() ?? "";
}
