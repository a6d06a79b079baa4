// Every export of segno has a TSDoc sentence, and so have the members that programs write or call.

import { describe, expect, it } from "vitest";

import { apiPages } from "./api-document.ts";
import type { ApiExport, ApiMember } from "./api-exports.ts";

/** Interfaces whose members a program writes as options, or reads while it runs. */
const DOCUMENTED_MEMBERS = /^Raw|(?:Options|Config|Limits|Context|Handle|Request|Filter)$/u;

const pages = apiPages().map((page) => [page.entry, page.exports] as const);

describe.each(pages)("the exports of %s", (_, exports) => {
  it("have a comment", () => {
    expect(exports.filter(({ comment }) => !isSentence(comment.text)).map(({ name }) => name)).toEqual([]);
  });

  it("have a comment on every option, and on every public method of a class", () => {
    const missing = exports.flatMap((exported) =>
      exported.members
        .filter((member) => needsComment(exported, member) && !isSentence(member.comment.text))
        .map(({ name }) => `${exported.name}.${name}`),
    );
    expect(missing).toEqual([]);
  });
});

function needsComment({ kind, name, declaredName }: ApiExport, member: ApiMember): boolean {
  // A member with the name of a symbol belongs to a protocol of the language.
  if (member.name.startsWith("[")) return false;
  if (kind === "class") return member.kind === "method";
  return kind === "interface" && [name, declaredName].some((each) => DOCUMENTED_MEMBERS.test(each));
}

/** A reference to a rule alone, such as `JT3.`, says nothing to a reader of the API. */
function isSentence(text: string): boolean {
  return /\p{Letter}{2,} \S+/u.test(text);
}

describe("the functions that programs call first", () => {
  const FIRST: Readonly<Record<string, readonly string[]>> = {
    segno: [
      "agent",
      "approval",
      "child",
      "Engine",
      "exec",
      "expand",
      "http",
      "loadContract",
      "map",
      "repeat",
      "shell",
      "skip",
      "sleep",
      "waitForSignal",
      "workflow",
    ],
    "segno/batch": ["executeBatch"],
    "segno/engines": ["createEngine"],
    "segno/testing": ["openTestEngine", "script"],
  };

  it.each(Object.entries(FIRST))("have an example: %s", (entry, names) => {
    const { exports } = apiPages().find((page) => page.entry === entry)!;
    const withExample = exports.filter(({ comment }) => comment.examples.length > 0).map(({ name }) => name);
    expect(withExample).toEqual(expect.arrayContaining([...names]));
  });
});
