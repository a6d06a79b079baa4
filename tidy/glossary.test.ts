// A newcomer finds every concept of the glossary in the folder where the glossary says it is.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { ROOT, readText } from "./repository.ts";

/** An entry and its continuation lines, as one line each. */
const entries = readText("docs/glossary.md")
  .replaceAll(/\n {2}/gu, " ")
  .split("\n")
  .filter((line) => line.startsWith("- **"));

describe("docs/glossary.md", () => {
  it("says of every concept where it lives or is planned", () => {
    expect(entries.filter((entry) => !/\b(?:Lives in|Planned for) `[^`]+`/u.test(entry))).toEqual([]);
  });

  it("names folders that exist", () => {
    const homeless = entries.filter((entry) => {
      const home = /\bLives in `([^`]+)`/u.exec(entry);
      return home !== null && !existsSync(join(ROOT, home[1]!));
    });
    expect(homeless).toEqual([]);
  });

  it("has each concept once", () => {
    const terms = entries.map((entry) => /^- \*\*([^*]+)\*\*/u.exec(entry)![1]!);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
  });
});
