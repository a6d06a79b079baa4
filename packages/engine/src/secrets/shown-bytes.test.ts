import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Masker } from "./masker.ts";
import { stripHidden } from "./shown-bytes.ts";

const CODES = [
  "\u001b[1m",
  "\u001b[01;31m\u001b[K",
  "\u001b[38;2;10;20;30m",
  "\u001b[?25l",
  "\u001b]0;a title\u0007",
  "\u001b]8;;https://x.example/\u001b\\",
  "\u009d0;a title\u009c",
  "\u009b1m",
  "\u001b(B",
  "\u001b7",
  "\u0000",
  "\u0008",
  "\r",
  "\u00ad",
  "\u200b",
  "\u202e",
  "\ufeff",
];

const SECRET = "G234567Pé語Q98765";
const code = fc.constantFrom(...CODES);
const plain = fc.constantFrom("G2", "G234567", "a line\n", "…", "é", "語", "\t", "ا", " 12;3m ", "x\u001b[0mx");

/** Text with secrets in it, each with codes between its characters. */
const coloured = fc
  .array(fc.oneof(plain, code, fc.array(code, { minLength: 16, maxLength: 16 }).map(withCodes)), { maxLength: 8 })
  .map((parts) => parts.join("|"));

function withCodes(codes: readonly string[]): string {
  return Array.from(SECRET, (character, each) => `${character}${each % 3 === 0 ? codes[each]! : ""}`).join("");
}

function inChunks(masker: Masker, bytes: Uint8Array, size: number): string {
  const stream = masker.stream();
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, each) =>
    stream.write(bytes.slice(each * size, (each + 1) * size)),
  );
  return Buffer.concat([...chunks, stream.end()]).toString();
}

describe("the shown part of a text", () => {
  it.each(CODES.slice(0, 10))("DATA-9 is without the sequence %j, up to its end", (sequence) => {
    expect(stripHidden(`one ${sequence}two`)).toBe("one two");
  });

  it("DATA-9 is without a string that has no end, up to the end of its line", () => {
    expect(stripHidden("one\u001b]0;a title\ntwo\u001bPdevice\r\nthree")).toBe("one\ntwo\nthree");
  });

  it("DATA-9 has line feeds, tabs and all other characters", () => {
    const text = "one\ttwo\nthree … é 語 ا 😀";
    expect(stripHidden(text)).toBe(text);
    expect(stripHidden(`${text}\u001b[0m`)).toBe(text);
  });
});

describe("a secret with codes inside", () => {
  const masker = new Masker();
  masker.add(SECRET);

  it("DATA-9 C5 is not in the shown part of a masked text, wherever that is cut", () => {
    fc.assert(
      fc.property(coloured, fc.nat(), (text, cut) => {
        const masked = masker.text(text);
        const [before, after] = [masked.slice(0, cut % (masked.length + 1)), masked.slice(cut % (masked.length + 1))];
        for (const part of [masked, before, after]) expect(stripHidden(part)).not.toContain("234567P");
        for (const part of [masked, before, after]) expect(stripHidden(part)).not.toContain("Q9876");
      }),
      { numRuns: 500 },
    );
  });

  it("C1 C5 is masked in a stream as it is in the whole, whatever the chunks are", () => {
    fc.assert(
      fc.property(coloured, fc.integer({ min: 1, max: 7 }), (text, size) => {
        expect(inChunks(masker, Buffer.from(text), size)).toBe(masker.text(text));
      }),
      { numRuns: 500 },
    );
  });

  it("M3 C5 is masked once: masking what is masked changes nothing", () => {
    fc.assert(
      fc.property(coloured, (text) => {
        expect(masker.text(masker.text(text))).toBe(masker.text(text));
      }),
    );
  });

  it("C5 takes the codes inside with it, and leaves those around it", () => {
    const text = `<\u001b[1m${SECRET.slice(0, 5)}\u001b[31m${SECRET.slice(5)}\u001b[0m>`;
    expect(masker.text(text)).toBe("<\u001b[1m***\u001b[0m>");
  });

  it("C2 is held back with at most 64 KiB of codes", () => {
    const stream = masker.stream();
    const zeros = Buffer.alloc(50_000);
    expect(stream.write(Buffer.from(SECRET.slice(0, 5)))).toHaveLength(0);
    expect(stream.write(zeros)).toHaveLength(0);
    expect(stream.write(zeros)).toHaveLength(100_005);
    expect(stream.write(zeros)).toHaveLength(50_000);
  });
});
