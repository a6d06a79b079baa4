import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSink, type Sink, type SinkRecord } from "@segno/engine";

const folder = mkdtempSync(join(tmpdir(), "segno-sinks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `deep/${files++}/execution.log`);

const record = (message: string): SinkRecord => ({ time: 1, level: "info", message });

const messages = (file: string): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { message: string }).message);

async function write(sink: Sink, ...texts: readonly string[]): Promise<void> {
  for (const message of texts) sink.write(record(message));
  await sink.flush();
}

describe("a sink to a file", () => {
  it("EVENT-3 creates the folder, and appends to a file that exists", async () => {
    const path = newFile();
    for (const message of ["a", "b"]) {
      await using sink = openSink({ type: "file", path });
      sink.write(record(message));
    }
    expect(messages(path)).toEqual(["a", "b"]);
  });

  it("EVENT-3 goes on with a new file if the file was moved away or removed", async () => {
    const path = newFile();
    await using sink = openSink({ type: "file", path });
    await write(sink, "a");
    renameSync(path, `${path}.1`);
    await write(sink, "b");
    rmSync(path);
    await write(sink, "c");
    expect([messages(`${path}.1`), messages(path)]).toEqual([["a"], ["c"]]);
  });

  it("EVENT-3 ends a line that a crash has cut", async () => {
    const path = newFile();
    await using first = openSink({ type: "file", path });
    await write(first, "a");
    writeFileSync(path, '{"message":"cu', { flag: "a" });
    await using sink = openSink({ type: "file", path });
    await write(sink, "b");
    expect(readFileSync(path, "utf8").split("\n").slice(1)).toEqual([
      '{"message":"cu',
      '{"time":1,"level":"info","message":"b"}',
      "",
    ]);
  });

  it.runIf(existsSync("/dev/full"))("EVENT-3 survives a full disk, reports it once, and states the loss", async () => {
    const path = join(folder, "on-full-disk.log");
    symlinkSync("/dev/full", path);
    const errors: unknown[] = [];
    const sink = openSink({ type: "file", path }, { onError: (error) => errors.push(error), now: () => 7 });
    await write(sink, "a", "b");
    await write(sink, "c", "d");
    expect(sink.dropped).toBe(4);
    expect(errors).toMatchObject([
      { code: "SINK_FAILED", message: expect.stringMatching(/lost 2 lines: ENOSPC/u) as string },
    ]);
    rmSync(path);
    await write(sink, "e");
    expect(messages(path)).toEqual(["lines were lost", "e"]);
    expect(readFileSync(path, "utf8")).toContain('"dropped":4');
    await sink.close();
  });

  it("EVENT-3 reports a path that cannot be a file", async () => {
    const errors: unknown[] = [];
    await using sink = openSink({ type: "file", path: folder }, { onError: (error) => errors.push(error) });
    await write(sink, "a");
    expect(errors).toMatchObject([{ code: "SINK_FAILED" }]);
  });
});
