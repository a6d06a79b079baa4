import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { shellWord } from "../terminal/shell-word.ts";
import { distinctLength, isWhole, idPrefix } from "./short-id.ts";

const UUID = "01a1e272-aa02-7c93-83d6-2d13bfa64af0";

describe("a short id", () => {
  it("is the time and some chance of an id that the engine made, and the whole of any other", () => {
    expect(idPrefix(UUID)).toBe("01a1e272-aa02-7c93");
    expect(idPrefix("nightly-7")).toBe("nightly-7");
    expect([isWhole(UUID), isWhole(UUID.slice(0, 35)), isWhole("@last")]).toEqual([true, false, false]);
  });

  it("is as long as it takes to tell it from all others, and at least eight letters", () => {
    const all = ["01a1e272-aa02", "01a1e272-aa0f", "01a1ffff-0000"];
    expect(distinctLength(["01a1ffff-0000"], all)).toBe(8);
    expect(distinctLength(["01a1e272-aa02"], all)).toBe(13);
    expect(distinctLength([], all)).toBe(8);
  });

  it("fits one id only, whatever the ids are, unless one begins with another", () => {
    const id = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 10, maxLength: 14 });
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 8 }), (all) => {
        const length = distinctLength(all, all);
        for (const each of all) {
          const fitting = all.filter((other) => other.startsWith(each.slice(0, length)));
          expect(fitting.filter((other) => other !== each && !other.startsWith(each))).toEqual([]);
        }
      }),
    );
  });
});

describe("a word for a shell", () => {
  it.each([
    ["build", "build"],
    ["deploy/3/upload", "deploy/3/upload"],
    ["two words", "'two words'"],
    ["it's", String.raw`'it'\''s'`],
    ["$(rm -rf)", "'$(rm -rf)'"],
    ["", "''"],
  ])("%s is written %s", (word, written) => {
    expect(shellWord(word)).toBe(written);
  });
});
