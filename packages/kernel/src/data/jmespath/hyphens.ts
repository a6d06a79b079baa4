// Help for a slip that the grammar cannot see: `steps.build-a.output` is a subtraction, `steps.build - a.output`. If
// `build-a` is the id of a step, the author meant `steps."build-a".output`.
//
// It looks at the text and not at the tree, because such a text often has no tree: `steps.build-1.output` does not parse.

import { endOfQuoted, isQuote } from "./quoted-text.ts";

const PLAIN = /^[A-Za-z_]\w*$/;
const ID_CHARACTER = /[\w-]/;

/** The source with every known id that needs quotes in quotes, or undefined if nothing in it needs them. */
export function hyphenSuggestion(source: string, ids: Iterable<string>): string | undefined {
  const candidates = [...ids].filter((id) => id !== "" && !PLAIN.test(id)).toSorted((a, b) => b.length - a.length);
  let hint = "";
  let at = 0;
  while (at < source.length) {
    const id = source[at - 1] === "." ? candidates.find((candidate) => standsAt(source, at, candidate)) : undefined;
    const end = id === undefined ? endOfPart(source, at) : at + id.length;
    hint += id === undefined ? source.slice(at, end) : JSON.stringify(id);
    at = end;
  }
  return hint === source ? undefined : hint;
}

function standsAt(source: string, at: number, id: string): boolean {
  return source.startsWith(id, at) && !ID_CHARACTER.test(source[at + id.length] ?? "");
}

function endOfPart(source: string, at: number): number {
  const end = isQuote(source[at]) ? endOfQuoted(source, at) : at + 1;
  return end < 0 ? source.length : end;
}
