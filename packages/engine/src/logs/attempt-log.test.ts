import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochMs } from "@segno/kernel";
import { Masker } from "../secrets/masker.ts";
import type { LogLine, LogStream } from "../store/step-logs.ts";
import { AttemptLog, type AttemptLimits, type StreamChunk } from "./attempt-log.ts";

const LIMITS: AttemptLimits = { lineBytesMax: 16_384, attemptBytesMax: 50 * 1024 * 1024, attemptLinesMax: 1_000_000 };
const NAME = { execution: "a", step: "s", attempt: 1 };

interface Opened {
  readonly log: AttemptLog;
  readonly lines: LogLine[];
  readonly chunks: StreamChunk[];
}

function opened(limits: Partial<AttemptLimits> = {}, masker = new Masker()): Opened {
  const lines: LogLine[] = [];
  const chunks: StreamChunk[] = [];
  const log = new AttemptLog(NAME, {
    limits: { ...LIMITS, ...limits },
    mask: () => masker.stream(),
    now: () => epochMs(1),
    take: (_, some) => lines.push(...some),
    onChunk: () => (chunk) => chunks.push(chunk),
  });
  return { log, lines, chunks };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const lineText = ({ stream, text, cut }: LogLine): string =>
  `${stream}: ${cut === undefined ? text : `${cut.kind} ${cut.bytes}`}`;

describe("a stream of an attempt", () => {
  it("A1 DATA-9 passes parts of a stream on at once, without a part of a secret and without half a character", () => {
    const masker = new Masker();
    masker.add("tr0ub4dor&3");
    const { log, chunks } = opened({}, masker);
    const euro = bytes("€");
    for (const part of [bytes("it is "), bytes("tr0u"), bytes("b4dor&3, "), euro.subarray(0, 1), euro.subarray(1)])
      log.write("stdout", part);
    log.close();
    expect(chunks.map(({ text }) => text)).toEqual(["it is ", "***, ", "€"]);
    expect(chunks[0]).toEqual({ step: "s", attempt: 1, stream: "stdout", text: "it is " });
  });

  it("A2 passes no more of a stream on than the limit of the attempt", () => {
    const { log, chunks } = opened({ attemptBytesMax: 5 });
    for (const part of ["abc", "def", "ghi"]) log.write("stdout", bytes(part));
    log.close();
    expect(chunks.map(({ text }) => text).join("")).toBe("abcde");
  });
});

describe("the log of an attempt", () => {
  it("A1 DATA-9 shows no secret, also where one comes in pieces, over a line break, or at the end", () => {
    const masker = new Masker();
    masker.add("tr0ub4dor&3");
    const { log, lines } = opened({}, masker);
    for (const part of ["the password is tr0u", "b4dor", "&3.\nnext ", "tr0ub4dor&3"]) log.write("stdout", bytes(part));
    log.write("stderr", bytes("tr0ub4d"));
    log.close();
    const all = lines.map(lineText);
    expect(all.join("\n")).not.toContain("tr0ub4dor&3");
    expect(all).toEqual(["stdout: the password is ***.", "stdout: next ***", "stderr: tr0ub4d"]);
  });

  it("A1 DATA-9 shows no secret that is there again without colours and other control characters", () => {
    const masker = new Masker();
    masker.add("tr0ub4dor&3");
    const { log, lines } = opened({}, masker);
    const colour = "tr0u\u001b[01;31m\u001b[Kb4d\u001b[m\u001b[Kor&3";
    log.write("stdout", bytes(`found ${colour} here\n\u001b[32mgreen\u001b[39m\n`));
    log.write("stderr", Buffer.from("wide tr0ub4dor&3\n", "utf16le"));
    log.close();
    expect(lines.map(lineText)).toEqual([
      "stdout: found *** here",
      "stdout: \u001b[32mgreen\u001b[39m",
      "stderr: w\u0000i\u0000d\u0000e\u0000 \u0000***\u0000",
      "stderr: \u0000",
    ]);
  });

  it("A1 DATA-9 leaves no part of a coloured secret where a line is cut", () => {
    const masker = new Masker();
    masker.add("tr0ub4dor&3");
    for (let lineBytesMax = 1; lineBytesMax < 40; lineBytesMax++) {
      const { log, lines } = opened({ lineBytesMax }, masker);
      log.write("stdout", bytes("found: tr0u\u001b[1mb4d"));
      log.write("stdout", bytes("\u001b[0mor&3 and so on\n"));
      log.close();
      expect("found: *** and so on".startsWith(lines[0]!.text)).toBe(true);
    }
  });

  it("A3 ends its last lines when it is closed, each of its stream, and keeps nothing after that", () => {
    const { log, lines } = opened();
    log.write("stderr", bytes("half"));
    log.write("stdout", bytes("whole\nhalf too"));
    log.writeLine("said");
    log.close();
    log.close();
    log.write("stdout", bytes("late\n"));
    log.writeLine("late");
    expect(lines.map(lineText)).toEqual(["stdout: whole", "log: said", "stderr: half", "stdout: half too"]);
  });
});

describe("the limit of an attempt", () => {
  it("A2 counts all its streams, and what was left out is said once, at the end", () => {
    const { log, lines } = opened({ attemptBytesMax: 12 });
    log.write("stdout", bytes("1234\n"));
    log.write("stderr", bytes("5678\nabcdef\n"));
    log.write("stdout", bytes("more\n"));
    log.writeLine("and more");
    expect(lines.map(lineText)).toEqual(["stdout: 1234", "stderr: 5678"]);
    log.close();
    expect(lines.slice(2).map(lineText)).toEqual(["stderr: ab", "stderr: attempt 19"]);
  });

  it("A2 every byte is in a line or counted", () => {
    const write = fc.tuple(fc.constantFrom<LogStream>("stdout", "stderr"), fc.nat(40), fc.nat(120));
    fc.assert(
      fc.property(fc.array(write), fc.integer({ min: 1, max: 2000 }), (writes, attemptBytesMax) => {
        const { log, lines } = opened({ attemptBytesMax, lineBytesMax: 50 });
        let written = 0;
        for (const [stream, count, length] of writes) {
          const chunk = bytes(`${"x".repeat(length)}\n`.repeat(count));
          written += chunk.length;
          log.write(stream, chunk);
        }
        log.close();
        const kept = lines.reduce((sum, { text }) => sum + text.length, 0);
        const cut = lines.reduce((sum, line) => sum + (line.cut?.bytes ?? 0), 0);
        const breaks = Math.min(written, attemptBytesMax) - (kept + linesCut(lines));
        expect(kept + cut + breaks).toBe(written);
        expect(breaks).toBeLessThanOrEqual(lines.filter((line) => line.cut === undefined).length);
        expect(lines.filter((line) => line.cut?.kind === "attempt").length).toBe(written > attemptBytesMax ? 1 : 0);
      }),
    );
  });

  it("A2 is also one of lines: those that are shorter than their price", () => {
    const { log, lines } = opened({ attemptLinesMax: 1000 });
    const chunk = bytes("y\n".repeat(500));
    for (let index = 0; index < 100; index++) log.write("stdout", chunk);
    log.close();
    expect(lines.length).toBe(1001);
    expect(lines.at(-1)).toMatchObject({ cut: { kind: "attempt", bytes: 98 * 1000 } });
    const flood = opened({ attemptLinesMax: 1000 });
    flood.log.write("stdout", bytes("\n".repeat(10_000_000)));
    flood.log.close();
    expect(flood.lines.length).toBe(65_537);
    expect(flood.lines.at(-1)?.cut?.bytes).toBe(10_000_000 - 65_536);
  });
});

function linesCut(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { cut }) => sum + (cut?.kind === "line" ? cut.bytes : 0), 0);
}
