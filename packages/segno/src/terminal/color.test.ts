import { describe, expect, it } from "vitest";

import { type ColorSituation, wantsColor } from "./color.ts";

const ROWS: readonly (readonly [string, Partial<ColorSituation>, boolean])[] = [
  ["a terminal gets colour", { isTerminal: true }, true],
  ["a pipe gets none", {}, false],
  ["a dumb terminal gets none", { isTerminal: true, environment: { TERM: "dumb" } }, false],
  ["NO_COLOR turns it off in a terminal", { isTerminal: true, environment: { NO_COLOR: "1" } }, false],
  ["an empty NO_COLOR says nothing", { isTerminal: true, environment: { NO_COLOR: "" } }, true],
  ["FORCE_COLOR turns it on in a pipe", { environment: { FORCE_COLOR: "1" } }, true],
  ["FORCE_COLOR=0 turns it off in a terminal", { isTerminal: true, environment: { FORCE_COLOR: "0" } }, false],
  ["FORCE_COLOR beats a dumb terminal", { isTerminal: true, environment: { TERM: "dumb", FORCE_COLOR: "3" } }, true],
  ["CLICOLOR_FORCE turns it on in a pipe", { environment: { CLICOLOR_FORCE: "1" } }, true],
  ["CLICOLOR_FORCE=0 says nothing", { isTerminal: true, environment: { CLICOLOR_FORCE: "0" } }, true],
  ["NO_COLOR beats FORCE_COLOR", { isTerminal: true, environment: { NO_COLOR: "1", FORCE_COLOR: "1" } }, false],
  ["--color=always beats NO_COLOR", { choice: "always", environment: { NO_COLOR: "1" } }, true],
  ["--color=never beats FORCE_COLOR", { choice: "never", isTerminal: true, environment: { FORCE_COLOR: "1" } }, false],
];

describe("colour", () => {
  it.each(ROWS)("%s", (_, situation, wanted) => {
    expect(wantsColor({ choice: "auto", environment: {}, isTerminal: false, ...situation })).toBe(wanted);
  });
});
