import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ContractError, type LocatedProblem } from "./contract-error.ts";
import { formatProblems } from "./format-problems.ts";
import { loadContract } from "../load/load-contract.ts";

const problem = (line: number, column: number, more: Partial<LocatedProblem> = {}): LocatedProblem => ({
  code: "WRONG_TYPE",
  file: "w.yaml",
  line,
  column,
  path: [],
  message: "expected x, found y",
  ...more,
});
const frame = (text: string, line: number, column: number): readonly string[] =>
  formatProblems([problem(line, column)], text)
    .split("\n")
    .slice(2, -1);

function rendered(text: string, file: string): string {
  try {
    loadContract(text, { file });
    return "";
  } catch (error) {
    return formatProblems((error as ContractError).problems, text);
  }
}

describe("problems for people", () => {
  it("CONTRACT-3 a thoroughly broken document reads as the golden file shows", async () => {
    const text = readFileSync(new URL("../../test/broken.yaml", import.meta.url), "utf8");
    await expect(rendered(text, "broken.yaml")).toMatchFileSnapshot("../../test/broken.txt");
  });

  it("CONTRACT-3 shows the place, the message, the line before, the line, a mark, and the hint", () => {
    expect(formatProblems([problem(2, 6, { hint: "do z" })], "name: w\nsteps: x\n")).toBe(
      [
        "w.yaml:2:6 WRONG_TYPE",
        "  expected x, found y",
        "  1 | name: w",
        "> 2 | steps: x",
        "    |      ^",
        "  hint: do z",
        "",
      ].join("\n"),
    );
  });

  it("CONTRACT-3 the mark stands under its column after tabs, wide and combining characters", () => {
    expect(frame("a\tb: x", 1, 3)).toEqual(["> 1 | a    b: x", "    |      ^"]);
    expect(frame("日本: x", 1, 5)).toEqual(["> 1 | 日本: x", "    |       ^"]);
    expect(frame("e\u0301: x", 1, 5)).toEqual(["> 1 | e\u0301: x", "    |    ^"]);
    expect(frame("😀: x", 1, 5)).toEqual(["> 1 | 😀: x", "    |     ^"]);
  });

  it("CONTRACT-3 a long line is clipped around the place, on whole characters", () => {
    const [line, mark] = frame(`${"a".repeat(500_000)}X${"😀".repeat(1000)}`, 1, 500_001);
    expect(line).toHaveLength("> 1 | ".length + 101);
    expect(line!.indexOf("X")).toBe(mark!.indexOf("^"));
    expect(line!.isWellFormed()).toBe(true);
  });

  it("CONTRACT-3 a place at the end or beyond the text has a frame or none, never an error", () => {
    expect(frame("name: w", 1, 8)).toEqual(["> 1 | name: w", "    |        ^"]);
    expect(frame("name: w", 5, 1)).toEqual([]);
    expect(formatProblems([problem(1, 1)], undefined)).toBe("w.yaml:1:1 WRONG_TYPE\n  expected x, found y\n");
  });

  it("CONTRACT-9 nothing of a document reaches the terminal as a control character", () => {
    const text = 'name: "w\u009B31m\u202E\u200B\u2028"\nsteps: [{ id: "\\e[2J", run: x, "\\e]0;x\\a": 1 }]';
    const output = rendered(text, "\u001B[31mevil.yaml");
    // oxlint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E\u2028]/u);
    expect(output).toContain("\\x9b31m\\u202e\\u200b\\u2028");
    expect(output).toContain("\\x1b[31mevil.yaml");
  });

  it("CONTRACT-3 has colours only when they are asked for", () => {
    const text = "name: 5\n";
    // oxlint-disable-next-line no-control-regex
    expect(formatProblems([problem(1, 1)], text, { color: true })).toMatch(/\u001B\[/u);
    expect(formatProblems([problem(1, 1)], text)).not.toContain("\u001B");
  });

  it("CONTRACT-3 shows so many problems and counts the rest", () => {
    const many = Array.from({ length: 60 }, () => problem(1, 1));
    expect(formatProblems(many, "x")).toMatch(/… and 10 more problems\n$/u);
    expect(formatProblems(many.slice(0, 3), "x", { limit: 2 })).toMatch(/… and 1 more problem\n$/u);
  });
});

describe("problems of the syntax", () => {
  it("CONTRACT-3 text with a colon in it, which YAML takes for a map, comes with the way to write it", () => {
    const text = 'name: w\nsteps:\n  - id: a\n    run: echo "they said: $X"\n';
    expect(rendered(text, "w.yaml").split("\n").slice(0, -1)).toEqual([
      "w.yaml:4:10 CONTRACT_SYNTAX",
      expect.stringMatching(/nested mappings are not allowed in compact mappings/u),
      "  3 |   - id: a",
      '> 4 |     run: echo "they said: $X"',
      "    |          ^",
      "  hint: put text with a colon and a space in quotes; write a script below `run: |`, on its own lines",
    ]);
  });
});
