// Every error code is uttered somewhere, documented, and tested.

import { describe, expect, it } from "vitest";

import { CATALOGUE } from "../packages/kernel/src/errors/catalogue.ts";
import { filesUnder, isTest, readText } from "./repository.ts";

const CATALOGUE_FILES = /^packages\/kernel\/src\/errors\/[a-z]+-codes\.ts$/u;
const CODES: readonly string[] = Object.keys(CATALOGUE);

const code = filesUnder("packages").filter((file) => file.endsWith(".ts") && !CATALOGUE_FILES.test(file));
const textOf = (files: readonly string[]): string => files.map(readText).join("\n");
const missingFrom = (text: string): string[] => CODES.filter((each) => !new RegExp(`\\b${each}\\b`, "u").test(text));

describe("error codes", () => {
  it("are words in capitals", () => {
    expect(CODES.filter((each) => !/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/u.test(each))).toEqual([]);
  });

  it("are all used outside the catalogue", () => {
    expect(missingFrom(textOf(code.filter((file) => file.includes("/src/") && !isTest(file))))).toEqual([]);
  });

  it("are all mentioned by a test", () => {
    // A suite that several implementations share, such as that of the stores, stands below test/ and is run by theirs.
    const tests = code.filter((file) => isTest(file) || /^packages\/[^/]+\/test\//u.test(file));
    expect(missingFrom(textOf(tests))).toEqual([]);
  });

  it("are all documented", () => {
    expect(missingFrom(readText("docs/reference/errors.md"))).toEqual([]);
  });
});
