import { expect, it } from "vitest";
import { asName, checkName, isName } from "./names.ts";

it("NAME_INVALID a name holds any well-formed text but U+0000", () => {
  for (const name of ["", "a", "a'b\"; -- %_", "👩‍👩‍👧", "e\u0301", "\u2028", "\uFFFD"]) {
    expect(isName(name)).toBe(true);
    expect(asName(name)).toBe(name);
    checkName("an id", name);
  }
  for (const name of ["\u0000", "a\u0000b", "\uD83D", "\uDC69\uD83D", "a\uDFFF"]) {
    expect(isName(name)).toBe(false);
    expect(isName(asName(name))).toBe(true);
    expect(() => checkName("an id", name)).toThrow(expect.objectContaining({ code: "NAME_INVALID" }));
  }
});

it("NAME_INVALID a refusal says what it is about, and shows what came so that it can be printed", () => {
  expect(() => checkName("the id of an execution", "a\uD83D\u0000")).toThrow(
    /^the id of an execution must be text of at most 1024 characters, without .* not "a\\ud83d\\u0000"$/u,
  );
});
