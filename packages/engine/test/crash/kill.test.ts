// kill -9 on a real process with a real file, repeatedly: no result that was reported as durable is lost, and all
// executions end (JOURNAL-3).

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { executionId } from "@segno/kernel";
import { readJournal } from "../../src/journal/read-journal.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { bundleProgram } from "../bundled-program.ts";
import { EXECUTIONS, STEPS } from "./kill-worker.ts";

const CYCLES = 100;
const PROGRAM = bundleProgram(join(import.meta.dirname, "kill-worker.ts"));
/** A guard against a worker that hangs: the longest time without output. */
const HANG_MS = 600_000;
const stalls: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "segno-kill-"));
const file = join(folder, "journal.db");
const acknowledged = new Map<string, number>();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a worker and kills it the given number of milliseconds after its first output; true if it ended by itself. */
function cycle(killAfterMs: number | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [PROGRAM, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    const guard = setTimeout(() => {
      stalls.push(text.slice(-200));
      worker.kill("SIGKILL");
    }, HANG_MS);
    worker.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (text === "" && killAfterMs !== undefined) setTimeout(() => worker.kill("SIGKILL"), killAfterMs);
      text += chunk;
      guard.refresh();
    });
    worker.once("error", reject);
    worker.once("close", () => {
      clearTimeout(guard);
      note(text);
      resolve(text.includes("all done"));
    });
  });
}

/** Only complete lines count: the kill may have cut the last one. */
function note(text: string): void {
  for (const line of text.split("\n").slice(0, -1)) {
    const [word, id, seq] = line.split(" ");
    if (word === "durable") acknowledged.set(id!, Math.max(acknowledged.get(id!) ?? 0, Number(seq)));
    if (word === "started") acknowledged.set(id!, Math.max(acknowledged.get(id!) ?? 0, 1));
    expect(word).not.toBe("fault");
  }
}

async function checkFile(): Promise<void> {
  const store = await openSqliteStore(file);
  for (const [id, seq] of acknowledged) {
    const loaded = await store.load(executionId(id));
    expect(loaded?.kind).toBe("execution");
    if (loaded?.kind !== "execution") continue;
    const journal = readJournal(loaded);
    expect(journal.kind).toBe("journal");
    expect(loaded.projection.seq, `${id}: acknowledged up to ${seq}`).toBeGreaterThanOrEqual(seq);
  }
  await store.close();
}

it(`JOURNAL-3 ${CYCLES} kills of the process lose nothing that was acknowledged, and the work ends`, async () => {
  let ended = 0;
  for (let round = 0; round < CYCLES; round++) {
    // A fixed spread of moments, from before the first commit of a process to well into its work.
    if (await cycle((round * 7) % 41)) ended++;
    if (round % 10 === 9) await checkFile();
    if (ended > 0) {
      rmSync(file, { force: true });
      rmSync(`${file}-wal`, { force: true });
      rmSync(`${file}-shm`, { force: true });
      acknowledged.clear();
      ended = 0;
    }
  }
  expect(await cycle(undefined)).toBe(true);
  expect(stalls).toEqual([]);
  await checkFile();
  const store = await openSqliteStore(file);
  const { executions } = await store.find({ limit: 100 });
  expect(executions.map(({ projection }) => [projection.status, projection.stepsEnded])).toEqual(
    Array.from({ length: EXECUTIONS }, () => ["completed", STEPS]),
  );
  await store.close();
}, 0);
