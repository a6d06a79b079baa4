// Comments name their subject: few of them begin with a pronoun that hides it (STYLE, "Plain words").

import { describe, expect, it } from "vitest";

import { packageSources, readText } from "./repository.ts";

/** Words that stand for a subject that the sentence does not name. */
const OPENERS =
  /^(?:What|Whatever|Whoever|Who|Whom|Whose|Nobody|Somebody|Everybody|Anybody|Everything|Those)(?:'s)?(?![\w-])/u;

/** The comments that still begin with such a word. It may only become smaller: lower it when fewer are left. */
const REMAINING = 0;

describe("comments of the packages", () => {
  it(`begin with a word that hides the subject at most ${REMAINING} times`, () => {
    const hidden = packageSources().flatMap((file) =>
      openingLines(readText(file))
        .filter(({ text }) => OPENERS.test(text))
        .map(({ line, text }) => `${file}:${line}: ${text}`),
    );
    expect(hidden.length, hidden.join("\n")).toBeLessThanOrEqual(REMAINING);
  });

  it("are found whether they are blocks, one line or several lines", () => {
    const source = [
      "/** What a block says. */",
      "/**",
      " * Whoever reads it.",
      " * Who goes on here.",
      " */",
      "// Nobody reads this.",
      "// Everything goes on.",
      "const text = 'What is in a text'; // Those count",
      "const url = 'https://What.example';",
    ].join("\n");
    expect(openingLines(source).filter(({ text }) => OPENERS.test(text))).toEqual([
      { line: 1, text: "What a block says. */" },
      { line: 3, text: "Whoever reads it." },
      { line: 6, text: "Nobody reads this." },
      { line: 8, text: "Those count" },
    ]);
  });
});

interface OpeningLine {
  readonly line: number;
  readonly text: string;
}

/** The first line of text of each comment. Line comments that follow each other are one comment. */
function openingLines(source: string): OpeningLine[] {
  const opening: OpeningLine[] = [];
  let before: "code" | "line" | "block" | "opened" = "code";
  for (const [index, text] of source.split("\n").entries()) {
    const found = readComment(text, before);
    if (found.text !== undefined) opening.push({ line: index + 1, text: found.text });
    before = found.state;
  }
  return opening;
}

type CommentState = "code" | "line" | "block" | "opened";

/** `opened` is a block comment that has no text yet; `text` is there where a comment begins to say something. */
function readComment(line: string, before: CommentState): { readonly state: CommentState; readonly text?: string } {
  if (before === "block" || before === "opened") return insideBlock(line, before);
  const block = /^\s*\/\*\*?\s*(.*)$/u.exec(line);
  if (block !== null) {
    const text = block[1]!;
    if (text === "") return { state: "opened" };
    return { state: text.includes("*/") ? "code" : "block", text };
  }
  const comment = /^\s*\/\/\s?(.*)$/u.exec(line);
  if (comment !== null) return before === "line" ? { state: "line" } : { state: "line", text: comment[1]! };
  const behind = /(?:^|[;,{}()]\s*)\/\/\s(.*)$/u.exec(line);
  return behind === null ? { state: "code" } : { state: "code", text: behind[1]! };
}

function insideBlock(line: string, before: "block" | "opened") {
  const state = line.includes("*/") ? "code" : "block";
  const text = line.replace(/^\s*\*?\s?/u, "");
  return before === "opened" && state === "block" ? ({ state, text } as const) : ({ state } as const);
}
