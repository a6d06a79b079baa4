// kill -9 on a real process with a real file, at many moments: batches continue, and finished chunks do not run again.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ITEMS } from "./kill-worker.ts";
import { splitIntoChunks, range } from "./fixture.ts";

const KILLS = 8;
/** The maximum number of chunks that run in both batches when a process dies. */
const AT_ONCE = 6;
const folder = mkdtempSync(join(tmpdir(), "segno-batch-kill-"));
const [file, log] = [join(folder, "journal.db"), join(folder, "work.log")];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a worker, and kills it the given number of milliseconds after it has opened the file; returns its output. */
function cycle(killAfterMs?: number): Promise<string> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, "kill-worker.ts"), file, log], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  worker.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (text === "" && killAfterMs !== undefined) setTimeout(() => worker.kill("SIGKILL"), killAfterMs);
    text += chunk;
  });
  return new Promise((end) => worker.once("close", () => end(text)));
}

interface Printed {
  readonly chunked: readonly (readonly number[])[];
  readonly windowed: readonly (readonly number[])[];
}

it("JOURNAL-3 BEYOND-1 however often the process is killed, each chunk has one result", async () => {
  for (let kill = 0; kill < KILLS; kill++) await cycle((kill * 11) % 47);
  const { chunked, windowed } = JSON.parse((await cycle()).split("\n")[1]!) as Printed;
  expect(chunked).toEqual(splitIntoChunks(range(ITEMS), 4));
  expect(windowed.flat()).toEqual(range(ITEMS));
  const worked = readFileSync(log, "utf8").trimEnd().split("\n");
  expect(new Set(worked)).toEqual(
    new Set([
      ...chunked.map((items) => `chunks ${items.join(" ")}`),
      ...windowed.map((items) => `windows ${items.join(" ")}`),
    ]),
  );
  expect(worked.length).toBeLessThanOrEqual(chunked.length + windowed.length + KILLS * AT_ONCE);
}, 1_200_000);
