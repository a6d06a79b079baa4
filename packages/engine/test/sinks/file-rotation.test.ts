// A file sink rotates its file by size, and keeps a number of rotated files.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSink, type FileSinkOptions, type Sink } from "@segno/engine";

const folder = mkdtempSync(join(tmpdir(), "segno-rotation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newPath(): string {
  const path = join(folder, `${++files}`);
  mkdirSync(path);
  return join(path, "events.log");
}

/** A line of about 340 bytes, so three of them fit into a file of 1,024 bytes. */
const PADDING = "x".repeat(280);

async function write(sink: Sink, ...messages: readonly string[]): Promise<void> {
  for (const message of messages) sink.write({ time: 1, level: "info", message, fields: { padding: PADDING } });
  await sink.flush();
}

function messagesIn(path: string): readonly string[] {
  const text = readFileSync(path, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { message: string }).message);
}

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, each) => String(each));

describe("a rotated file", () => {
  it("EVENT-3 has whole lines, is not larger than `maxBytes`, and only `maxFiles` are kept", async () => {
    const path = newPath();
    const sink = openSink({ type: "file", path, maxBytes: 1024, maxFiles: 2 });
    for (const message of numbers(10)) await write(sink, message);
    await sink.close();
    expect(readdirSync(join(path, "..")).toSorted()).toEqual(["events.log", "events.log.1", "events.log.2"]);
    expect([".2", ".1", ""].map((end) => messagesIn(`${path}${end}`))).toEqual([
      ["3", "4", "5"],
      ["6", "7", "8"],
      ["9"],
    ]);
    expect(sink.metrics).toMatchObject({ delivered: 10, failures: 0 });
  });

  it("EVENT-3 ends between two lines of one batch; a line that is too long has a file of its own", async () => {
    const path = newPath();
    const sink = openSink({ type: "file", path, maxBytes: 1024 });
    await write(sink, ...numbers(7), "long".repeat(400), "last");
    await sink.close();
    const all = [".4", ".3", ".2", ".1", ""].flatMap((end) => (existsSync(path + end) ? [messagesIn(path + end)] : []));
    expect(all).toEqual([["0", "1", "2"], ["3", "4", "5"], ["6"], ["long".repeat(400)], ["last"]]);
  });
});

describe("a rotated file after a crash", () => {
  it("EVENT-3 is not lost if a crash left a gap between the moves: the gap is filled first", async () => {
    const path = newPath();
    // A crash after `.1` became `.2` and before the file itself became `.1`.
    writeFileSync(`${path}.2`, '{"message":"oldest"}\n');
    const sink = openSink({ type: "file", path, maxBytes: 1024, maxFiles: 2 });
    await write(sink, ...numbers(4));
    expect(messagesIn(`${path}.2`)).toEqual(["oldest"]);
    expect(messagesIn(`${path}.1`)).toEqual(["0", "1", "2"]);
    // A crash after the file became `.1` and before a new one was opened.
    await sink.close();
    rmSync(path);
    const next = openSink({ type: "file", path, maxBytes: 1024, maxFiles: 2 });
    await write(next, "next");
    await next.close();
    expect(messagesIn(path)).toEqual(["next"]);
  });

  it("EVENT-3 ends with a whole line, also if a crash has cut the last one", async () => {
    const path = newPath();
    writeFileSync(path, `{"message":"${"a".repeat(1000)}`);
    const sink = openSink({ type: "file", path, maxBytes: 1024 });
    await write(sink, "next");
    await sink.close();
    expect(readFileSync(`${path}.1`, "utf8").endsWith("a\n")).toBe(true);
    expect(messagesIn(path)).toEqual(["next"]);
  });

  it("EVENT-3 is complete after kill -9 during many rotations", { timeout: 120_000 }, async () => {
    const path = newPath();
    const entry = new URL("../../src/index.ts", import.meta.url).href;
    const program = `
      const { openSink } = await import(${JSON.stringify(entry)});
      const sink = openSink({ type: "file", path: ${JSON.stringify(path)}, maxBytes: 1024, maxFiles: 1000 });
      for (let each = 0; ; each++) {
        sink.write({ time: 1, level: "info", message: String(each), fields: { padding: "x".repeat(280) } });
        await sink.flush();
        if (each % 10 === 0) process.stdout.write(each + "\\n");
      }
    `;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    let reported = -1;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      reported = Number(text.trim().split("\n").at(-1));
      if (reported >= 200) child.kill("SIGKILL");
    });
    await once(child, "close");
    const found = new Set<string>();
    for (const name of readdirSync(join(path, "..")))
      for (const line of readFileSync(join(path, "..", name), "utf8")
        .split("\n")
        .filter(Boolean))
        found.add((JSON.parse(line) as { message: string }).message);
    expect(numbers(reported + 1).filter((each) => !found.has(each))).toEqual([]);
  });
});

describe("a file that cannot be rotated or written", () => {
  it("EVENT-3 grows further and is reported if it cannot be moved; no line is lost", async () => {
    const path = newPath();
    // A folder with content cannot be replaced by a file.
    mkdirSync(join(`${path}.1`, "taken"), { recursive: true });
    const errors: unknown[] = [];
    const options: FileSinkOptions = { type: "file", path, maxBytes: 1024, maxFiles: 1 };
    const sink = openSink(options, { onError: (error) => errors.push(error) });
    await write(sink, ...numbers(5));
    await sink.close();
    expect(messagesIn(path)).toEqual(numbers(5));
    expect([errors.length, sink.dropped]).toEqual([1, 0]);
  });

  it.runIf(existsSync("/dev/full"))("EVENT-3 survives a full disk at the moment of the rotation", async () => {
    const path = newPath();
    const sink = openSink({ type: "file", path, maxBytes: 1024 }, { onError: () => undefined });
    await write(sink, ...numbers(3));
    rmSync(path);
    symlinkSync("/dev/full", path);
    await write(sink, "lost");
    expect(sink.metrics).toMatchObject({ delivered: 3, dropped: { info: 1 } });
    rmSync(path);
    await write(sink, "next");
    await sink.close();
    expect(messagesIn(path)).toEqual(["lines were lost", "next"]);
  });

  it.each([
    ["maxBytes", 10],
    ["maxBytes", "1 MB"],
    ["maxFiles", 0],
    ["maxFiles", 1001],
  ])("EVENT-3 is refused with %s of %s", (option, value) => {
    expect(() => openSink({ type: "file", path: newPath(), [option]: value })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(`\`${option}\``) as string }),
    );
  });
});
