import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { Engine, openSink, providedSecrets, type SinkOptions, type SinkRecord } from "@segno/engine";

const folder = mkdtempSync(join(tmpdir(), "segno-sinks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const record = (level: SinkRecord["level"], message: string): SinkRecord => ({ time: 1, level, message });

const run = promisify(execFile);
const entry = new URL("../../src/index.ts", import.meta.url).href;

/** Runs a program with a sink to stdout in a process of its own. */
async function runWithStdout(
  lines: string,
  command = "",
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = `
    const { openSink } = await import(${JSON.stringify(entry)});
    const sink = openSink({ type: "stdout", level: "warn" });
    ${lines}
    await sink.close();
    process.stderr.write("closed with " + sink.dropped + "\\n");
  `;
  const argv = [`"${process.execPath}" --input-type=module --eval "$PROGRAM" ${command}`];
  return await run("sh", ["-c", ...argv], { encoding: "utf8", env: { ...process.env, PROGRAM: program } });
}

describe("a sink to stdout", () => {
  it("EVENT-3 writes the lines of its level and above", async () => {
    const { stdout, stderr } = await runWithStdout(`
      for (const level of ["debug", "info", "warn", "error"]) sink.write({ time: 1, level, message: level });
    `);
    expect(stdout).toBe('{"time":1,"level":"warn","message":"warn"}\n{"time":1,"level":"error","message":"error"}\n');
    expect(stderr).toBe("closed with 0\n");
  });

  it("EVENT-3 does not end the process if the reader has gone", async () => {
    const { stderr } = await runWithStdout(
      `
      for (let round = 0; round < 200 && sink.dropped === 0; round++) {
        sink.write({ time: 1, level: "error", message: "x".repeat(10_000) });
        await sink.flush();
      }
    `,
      "| head -c 1",
    );
    expect(stderr).toContain("EPIPE");
    expect(stderr).toMatch(/closed with [1-9]/u);
  });
});

describe("a sink of any type", () => {
  it("EVENT-3 writes only records that its filter accepts; a filter that throws lets them pass", async () => {
    const path = join(folder, "filtered.log");
    const errors: unknown[] = [];
    const filter = ({ message }: SinkRecord): boolean => {
      if (message === "c") throw new Error("no");
      return message === "b";
    };
    const sink = openSink({ type: "file", path, filter }, { onError: (error) => errors.push(error) });
    for (const message of ["a", "b", "c"]) sink.write(record("info", message));
    await sink.close();
    expect(readFileSync(path, "utf8")).toBe(
      '{"time":1,"level":"info","message":"b"}\n{"time":1,"level":"info","message":"c"}\n',
    );
    expect(errors).toEqual([new Error("no")]);
  });

  it("DATA-9 masks secrets in messages, fields and keys", async () => {
    const path = join(folder, "masked.log");
    await using engine = await Engine.open({ store: "none", secrets: providedSecrets(() => "a-long-secret") });
    const definition = { name: "w", secrets: ["token"], steps: [] };
    await engine.checkSecrets(definition);
    const sink = openSink({ type: "file", path }, { mask: (text) => engine.mask(text) });
    sink.write({ ...record("error", "a-long-secret"), fields: { "a-long-secret": { deep: ["is a-long-secret"] } } });
    await sink.close();
    expect(readFileSync(path, "utf8")).toBe('{"time":1,"level":"error","***":{"deep":["is ***"]},"message":"***"}\n');
  });

  it("EVENT-3 goes on if the handler of its errors throws", async () => {
    const sink = openSink(
      { type: "file", path: folder },
      {
        onError: () => {
          throw new Error("no");
        },
      },
    );
    sink.write(record("info", "a"));
    await sink.close();
    expect(sink.dropped).toBe(1);
  });

  it.each([
    ["an unknown type", { type: "tcp" }, '`type` is "stdout", "file" or "http", not "tcp"'],
    ["an unknown level", { type: "stdout", level: "loud" }, "`level`"],
    ["an option of another type", { type: "stdout", path: "x" }, "`path`"],
    ["no URL", { type: "http" }, "`url`"],
    ["a URL of another protocol", { type: "http", url: "ftp://x" }, "`url`"],
  ])("EVENT-3 is refused with %s", (_, options, message) => {
    expect(() => openSink(options as unknown as SinkOptions)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(message) as string }),
    );
  });
});
