import { describe, expect, it } from "vitest";

import { createPalette } from "../terminal/palette.ts";
import { failureChain } from "./failure-chain.ts";
import { valueLine, valueLines } from "./value-lines.ts";

const palette = createPalette(false);
const options = { palette, columns: 20, linesMax: 3, whole: "segno show x --json" };

describe("a value on the terminal", () => {
  it("is whole if it is small", () => {
    expect(valueLines({ kind: "value", json: { a: 1 } }, options)).toEqual(["{", '  "a": 1', "}"]);
    expect(valueLine({ kind: "value", json: { a: [1] } }, 20)).toBe('{"a":[1]}');
  });

  it("is cut to some lines, and says how to print all", () => {
    expect(valueLines({ kind: "value", json: [1, 2, 3, 4] }, options)).toEqual([
      "[",
      "  1,",
      "  2,",
      "… 3 more lines; to print all: segno show x --json",
    ]);
  });

  it("has lines that are not longer than the terminal, even for 10 MB", () => {
    const json = "x".repeat(10_000_000);
    expect(valueLines({ kind: "value", json }, options)).toEqual([
      `"${"x".repeat(18)}…`,
      "… to print all: segno show x --json",
    ]);
    expect(valueLine({ kind: "value", json }, 10)).toBe(`"${"x".repeat(8)}…`);
  });

  it("DATA-11 says that it was removed, or is missing", () => {
    expect(valueLines({ kind: "removed" }, options)).toEqual(["(removed from the store)"]);
    expect(valueLine({ kind: "lost" }, 80)).toBe("(missing from the store)");
    expect(valueLine(undefined, 80)).toBe("");
  });

  it("DATA-9 has no control characters", () => {
    expect(valueLine({ kind: "value", json: "\u001b[2J\u202e\n" }, 80)).toBe(String.raw`"\u001b[2J\u202e\n"`);
  });
});

describe("a failure", () => {
  it("FAIL-1 has its code, its message and the chain of its causes", () => {
    const cause = { class: "transient", code: "ECONNRESET", message: "reset\u0007\nby peer" } as const;
    const failure = { class: "transient", code: "Error", message: "two\nlines", cause } as const;
    expect(failureChain(failure, palette)).toEqual([
      "Error two",
      "  lines",
      String.raw`  caused by ECONNRESET reset\u0007`,
    ]);
  });

  it("has at most twelve lines of its message", () => {
    const message = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
    const lines = failureChain({ class: "permanent", code: "Error", message }, palette);
    expect([lines.length, lines.at(-1)]).toEqual([13, "  … 18 more lines"]);
  });
});
