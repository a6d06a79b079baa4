// The walkthrough names the files of today.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { ROOT, readText } from "./repository.ts";

const text = readText("docs/walkthrough.md");
const named = [...text.matchAll(/`(packages\/[^`\s]+)`/gu)].map(([, file]) => file!);

describe("docs/walkthrough.md", () => {
  it("names only files that exist", () => {
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("numbers its files from 1, and every number names one", () => {
    const items = text.replaceAll(/\n {2,}/gu, " ").match(/^\d+\. .*/gmu) ?? [];
    expect(items.map((item) => Number.parseInt(item, 10))).toEqual(items.map((_, index) => index + 1));
    expect(items.filter((item) => !/^\d+\. `packages\//u.test(item))).toEqual([]);
  });

  it("is linked from the README and from CONTRIBUTING", () => {
    expect(readText("README.md")).toContain("(docs/walkthrough.md)");
    expect(readText("CONTRIBUTING.md")).toContain("(docs/walkthrough.md)");
  });
});
