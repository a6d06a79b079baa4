// A few words of what somebody else wrote, for people to read in a message.
//
//   X1. It is one line of what can be printed.
//   X2. A secret in it is never cut in two: half of one would not be found by whoever masks messages (DATA-9).

import type { TextFilter } from "@segno/kernel";

const EXCERPT_MAX = 300;

/** `isCut` says that the text goes on where nobody looked; `shown` says what may be shown of it. */
export function excerpt(text: string, isCut: boolean, shown: TextFilter): string {
  const line = shown(text)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  if (line.length <= EXCERPT_MAX && !isCut) return line;
  return `${wholeWords(line.slice(0, EXCERPT_MAX))}…`;
}

/** Up to the last character that stands between words, so that none of them is half there. */
function wholeWords(text: string): string {
  return /^.*[\s"',;<>()[\]{}]/u.exec(text)?.[0].trimEnd() ?? "";
}
