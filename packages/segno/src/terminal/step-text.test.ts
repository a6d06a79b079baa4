import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stepText } from "./step-text.ts";

const ESCAPE = "\u001b";
const inColor = (line: string): string => stepText(line, { color: true });
const plain = (line: string): string => stepText(line, { color: false });

describe("a line that a step wrote", () => {
  it.each([
    ["a colour", `${ESCAPE}[31mred${ESCAPE}[0m`, `${ESCAPE}[31mred${ESCAPE}[0m${ESCAPE}[0m`],
    ["a colour of 256", `${ESCAPE}[38;5;8mgrey`, `${ESCAPE}[38;5;8mgrey${ESCAPE}[0m`],
    ["a colour by its parts", `${ESCAPE}[48;2;5;6;8mx`, `${ESCAPE}[48;2;5;6;8mx${ESCAPE}[0m`],
    ["a colour with colons", `${ESCAPE}[38:5:8mx`, `${ESCAPE}[38:5:8mx${ESCAPE}[0m`],
    ["bold and underlined", `${ESCAPE}[1;4mx`, `${ESCAPE}[1;4mx${ESCAPE}[0m`],
  ])("T1 keeps %s, and sets it back at the end", (_, line, shown) => {
    expect(inColor(line)).toBe(shown);
    expect(plain(line)).not.toContain(ESCAPE);
  });

  it.each([
    ["hidden letters", `a${ESCAPE}[8mb`],
    ["hidden letters behind a colour", `a${ESCAPE}[38;5;1;8mb`],
    ["blinking", `a${ESCAPE}[05mb`],
    ["a title", `a${ESCAPE}]0;owned\u0007b`],
    ["a title without an end", `a${ESCAPE}]0;owned${ESCAPE}[32mb`.replace(`${ESCAPE}[32m`, `${ESCAPE}\\`)],
    ["a link", `a${ESCAPE}]8;;http://x.example${ESCAPE}\\b`],
    ["the clipboard", `a${ESCAPE}]52;c;ZXZpbA==\u0007b`],
    ["the cursor", `a${ESCAPE}[2A${ESCAPE}[10;10Hb`],
    ["the screen", `a${ESCAPE}[2J${ESCAPE}[?1049hb`],
    ["a private form of a colour", `a${ESCAPE}[>4;2mb`],
    ["a colour with more numbers than any has", `a${ESCAPE}[${"1;".repeat(60)}mb`],
    ["a reset", `a${ESCAPE}cb`],
    ["another character set", `a${ESCAPE}(0b`],
    ["a device string", `a${ESCAPE}P1$r0m${ESCAPE}\\b`],
    ["a message to a program", `a${ESCAPE}_G x${ESCAPE}\\${ESCAPE}^y${ESCAPE}\\b`],
    ["sequences of eight bits", `a\u009b31m\u009d0;t\u009c\u0090q\u009cb`],
    ["bells, backspaces and nulls", `a\u0007\u0008\u0000\u007fb`],
    ["letters that run backwards", `a\u202e\u2066\u200fb`],
    ["an escape at the end", `ab${ESCAPE}`],
    ["a sequence that breaks off", `ab${ESCAPE}[12;`],
  ])("T2 leaves out %s", (_, line) => {
    expect(inColor(line)).toBe("ab");
    expect(plain(line)).toBe("ab");
  });

  it("T4 shows the last state of a line that was written over", () => {
    expect(inColor("10%\r20%\r100%\r")).toBe("100%");
    expect(inColor("windows\r")).toBe("windows");
    expect(inColor("\r")).toBe("");
  });

  it("has spaces up to the next stop for a tab, by columns, not by letters", () => {
    expect(plain("a\tb")).toBe("a       b");
    expect(plain("世\tb")).toBe("世      b");
    expect(inColor(`${ESCAPE}[1ma${ESCAPE}[0m\tb`)).toBe(`${ESCAPE}[1ma${ESCAPE}[0m       b${ESCAPE}[0m`);
  });

  it("keeps the letters of every language, and shows where half of one was", () => {
    expect(inColor("Grüße, 世界 👩‍💻")).toBe("Grüße, 世界 👩‍💻");
    expect(inColor("a\ud83db")).toBe("a\ufffdb");
  });
});

/** Text as hostile as it gets: sequences, halves of them, controls, and ordinary letters between them. */
const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(ESCAPE, `${ESCAPE}[`, `${ESCAPE}]`, `${ESCAPE}P`, `${ESCAPE}\\`, "\u009b", "\u009d", "\u009c"),
      fc.constantFrom("\u0007", "m", "31", ";", ":", "8", "?", "H", "J", "A", "\r", "\n", "\t", "\u202e", "\ud800"),
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

// oxlint-disable-next-line no-control-regex
const COLOR = /\u001b\[[0-9;:]{0,64}m/gu;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe("any text at all", () => {
  it("T1 T2 holds nothing but colours when it has passed, and nothing at all where colours are off", () => {
    fc.assert(
      fc.property(hostile, (line) => {
        expect(inColor(line).replaceAll(COLOR, "")).not.toMatch(CONTROL);
        expect(plain(line)).not.toMatch(CONTROL);
      }),
      { numRuns: 2000 },
    );
  });

  it("T3 ends set back wherever it holds a colour", () => {
    fc.assert(
      fc.property(hostile, (line) => {
        const shown = inColor(line);
        if (shown.includes(ESCAPE)) expect(shown.endsWith(`${ESCAPE}[0m`)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("T2 is safe however two lines meet: no sequence can be put together from what was let pass", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const again = inColor(inColor(one) + inColor(other));
        expect(again.replaceAll(COLOR, "")).toBe((inColor(one) + inColor(other)).replaceAll(COLOR, ""));
      }),
      { numRuns: 1000 },
    );
  });
});
