// Detects a mistake that the grammar cannot see: `steps.build-a.output` is a subtraction, `steps.build - a.output`. If `build-a` is
// the id of a step, the author meant `steps."build-a".output`.
//
// It reads the text and not the tree, because such a text often has no tree: `steps.build-1.output` does not parse.

import { endOfQuoted, isQuote } from "./quoted-text.ts";

const PLAIN = /^[A-Za-z_]\w*$/;
const ID = /[\w-]+/y;

/** The ids that need quotes in an expression. */
export function idsToQuote(ids: Iterable<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !PLAIN.test(id)));
}

/** The source with every id that needs quotes in quotes, or undefined if nothing in it needs them. */
export function hyphenSuggestion(source: string, ids: ReadonlySet<string>): string | undefined {
  if (ids.size === 0) return undefined;
  let hint = "";
  let at = 0;
  while (at < source.length) {
    const word = source[at - 1] === "." ? wordAt(source, at) : "";
    const end = ids.has(word) ? at + word.length : endOfPart(source, at);
    hint += ids.has(word) ? JSON.stringify(word) : source.slice(at, end);
    at = end;
  }
  return hint === source ? undefined : hint;
}

function wordAt(source: string, at: number): string {
  ID.lastIndex = at;
  return ID.exec(source)?.[0] ?? "";
}

function endOfPart(source: string, at: number): number {
  const end = isQuote(source[at]) ? endOfQuoted(source, at) : at + 1;
  return end < 0 ? source.length : end;
}
