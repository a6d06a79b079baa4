import { describe, expect, it } from "vitest";

import { isInteractive } from "./terminal.ts";

describe("a live region", () => {
  it.each([
    ["a terminal has one", true, {}, true],
    ["a pipe has none", false, {}, false],
    ["CI has none, even on a terminal", true, { CI: "true" }, false],
    ["CI=false is no CI", true, { CI: "false" }, true],
    ["an empty CI says nothing", true, { CI: "" }, true],
    ["a dumb terminal has none", true, { TERM: "dumb" }, false],
  ])("%s", (_, isTerminal, environment, watched) => {
    expect(isInteractive(isTerminal, environment)).toBe(watched);
  });
});
