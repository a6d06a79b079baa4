// Compares the line splitter with an implementation that has all bytes at once.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogCut } from "../store/step-logs.ts";
import { LineSplitter } from "./line-splitter.ts";

interface Given {
  readonly text: string;
  readonly cut?: LogCut;
}

const KIB = 1024;

function split(chunks: readonly Uint8Array[], bytesMax = 16 * KIB): Given[] {
  const lines: Given[] = [];
  const splitter = new LineSplitter(bytesMax, (text, cut) => lines.push(cut === undefined ? { text } : { text, cut }));
  for (const chunk of chunks) splitter.write(chunk);
  splitter.end();
  return lines;
}

const texts = (...chunks: readonly string[]): string[] =>
  split(chunks.map((chunk) => Buffer.from(chunk))).map(({ text }) => text);

/** Splits bytes into chunks of these sizes. */
function chunked(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let start = 0;
  for (const size of sizes) chunks.push(bytes.slice(start, (start += size)));
  return [...chunks, bytes.slice(start)];
}

const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });
const isBreak = (byte: number): boolean => byte === 0x0a || byte === 0x0d;
/** Arbitrary bytes, and well-formed text, without line breaks. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.filter((byte) => !isBreak(byte))),
  fc
    .string({ unit: "binary", maxLength: 30 })
    .map((text) => new Uint8Array(Buffer.from(text.replaceAll(/[\r\n]/gu, "")))),
);
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

describe("lines", () => {
  it("S1 end with a line feed, with or without a carriage return; the last needs no end", () => {
    expect(texts("one\ntwo\r\nthree\r\r\nfour")).toEqual(["one", "two", "three", "four"]);
    expect(texts("\n\r\n\na\n\n")).toEqual(["", "", "", "a", ""]);
    expect(texts("one\r", "\n", "two\r", "\r\n\r", "\n")).toEqual(["one", "two", ""]);
    expect(texts("", "a", "", "b", "")).toEqual(["ab"]);
    expect(texts("")).toEqual([]);
  });

  it("S2 that were written over are passed over, except for the last of a chunk", () => {
    expect(texts("10%\r20%\r30%\ndone\n")).toEqual(["30%", "done"]);
    expect(texts("10%\r20%\r", "30%\r40%\r", "50%\n")).toEqual(["20%", "40%", "50%"]);
    expect(texts("10%\r20")).toEqual(["10%", "20"]);
    expect(texts("100%\r", "\ndone\n")).toEqual(["100%", "done"]);
    expect(texts("\r\r\r")).toEqual([]);
  });

  it("S4 have whole characters, also where one comes in two chunks, and replacements for what is none", () => {
    const smile = Buffer.from("a😀é\n");
    for (let cut = 0; cut <= smile.length; cut++)
      expect(split([smile.subarray(0, cut), smile.subarray(cut)])).toEqual([{ text: "a😀é" }]);
    expect(split([Buffer.from([0xff, 0x41, 0xc3]), Buffer.from([0x0a, 0xe2, 0x82])])).toEqual([
      { text: "\uFFFDA\uFFFD" },
      { text: "\uFFFD" },
    ]);
    expect(texts("\uFEFFa\u0000b\n")).toEqual(["\uFEFFa\u0000b"]);
  });

  it("S1 are the same, however their bytes are cut into chunks", () => {
    const ends = fc.constantFrom("\n", "\r\n", "\r\r\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(content, ends)), content, sizes, (lines, last, cuts) => {
        const bytes = Buffer.concat([...lines.flatMap(([line, end]) => [line, Buffer.from(end)]), last]);
        const expected = lines.map(([line]) => decode(line));
        if (last.length > 0) expected.push(decode(last));
        expect(split(chunked(bytes, cuts)).map(({ text }) => text)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * The lines that may be emitted for text whose lines all differ: one list per line feed, whose last entry must be
 * emitted.
 */
function overwritings(text: string): string[][] {
  return text.split("\n").map((line) => line.split("\r").filter((part) => part !== ""));
}

/** Removes the lines of these parts, and returns whether the last one was among them. */
function takesLast(lines: string[], parts: readonly string[], isEnded: boolean): boolean {
  if (parts.length === 0) return !isEnded || lines.shift() === "";
  let last = -1;
  for (let next = parts.indexOf(lines[0] ?? ""); next > last; next = parts.indexOf(lines[0] ?? "")) {
    lines.shift();
    last = next;
  }
  return last === parts.length - 1;
}

describe("lines that are written over", () => {
  it("S2 leave the last, whatever the chunks are, and invent none", () => {
    const parts = fc.array(fc.tuple(fc.boolean(), fc.constantFrom("\n", "\r\n", "\r", "\r", "\r\r")));
    fc.assert(
      fc.property(parts, sizes, (list, cuts) => {
        const text = list.map(([isBlank, end], index) => `${isBlank ? "" : `p${index}.`}${end}`).join("");
        const lines = split(chunked(Buffer.from(text), cuts)).map((line) => line.text);
        const segments = overwritings(text);
        for (const [index, segment] of segments.entries())
          expect(takesLast(lines, segment, index < segments.length - 1)).toBe(true);
        expect(lines).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("S2 are all given when each comes in a chunk of its own", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9999 })), (numbers) => {
        expect(texts(...numbers.map((each) => `${each}%\r`))).toEqual(numbers.map((each) => `${each}%`));
      }),
    );
  });
});

describe("long lines", () => {
  it("S3 are cut at 16 KiB, and the bytes that were left out are counted", () => {
    const long = "x".repeat(20_000);
    expect(split([Buffer.from(`a\n${long}\nb\n`)])).toEqual([
      { text: "a" },
      { text: "x".repeat(16_384) },
      { text: "", cut: { kind: "line", bytes: 20_000 - 16_384 } },
      { text: "b" },
    ]);
    const full = "y".repeat(16_384);
    expect(texts(`${full}\r`, `\n${full}`, "\n")).toEqual([full, full]);
  });

  it("S3 are cut between characters, and every byte is kept or counted, however it comes", () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 1 }), sizes, fc.integer({ min: 4, max: 20 }), (parts, cuts, max) => {
        const bytes = Buffer.concat(parts);
        const [line, mark, ...none] = split(chunked(Buffer.concat([bytes, Buffer.from("\n")]), cuts), max);
        const dropped = mark?.cut?.bytes ?? 0;
        expect([none, line?.text]).toEqual([[], decode(bytes.subarray(0, bytes.length - dropped))]);
        if (bytes.length <= max) expect(dropped).toBe(0);
        else expect(bytes.length - dropped).toBeGreaterThan(max - 4);
        expect(bytes.length - dropped).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });

  it("S3 keep what they are of well-formed text: nothing is replaced", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 30 }), fc.integer({ min: 4, max: 29 }), (text, max) => {
        const given = text.replaceAll(/[\r\n]/gu, " ");
        const [line] = split([Buffer.from(given)], max);
        expect(given.startsWith(line!.text)).toBe(true);
      }),
    );
  });

  it("S3 take no more room than they may have: a line of a gigabyte", () => {
    const chunk = Buffer.alloc(64 * KIB, "z");
    const before = heldBytes();
    let most = 0;
    const lines: Given[] = [];
    const splitter = new LineSplitter(16 * KIB, (text, cut) =>
      lines.push(cut === undefined ? { text } : { text, cut }),
    );
    for (let index = 0; index < 16 * KIB; index++) {
      splitter.write(chunk);
      if (index % 1000 === 0) most = Math.max(most, heldBytes());
    }
    splitter.end();
    expect(lines.map(({ text, cut }) => [text.length, cut?.bytes])).toEqual([
      [16 * KIB, undefined],
      [0, KIB ** 3 - 16 * KIB],
    ]);
    expect(most - before).toBeLessThan(16 * KIB * KIB);
  });
});

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
