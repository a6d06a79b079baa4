// A process in the background that goes on with what was recorded, when whoever recorded it has gone.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";

import { journalFile } from "./journal-place.ts";
import type { WorkOptions } from "./open-engine.ts";

/** For a journal that may be worked on (`foreign-journal.ts`). Resolves when it runs. What it has to say goes to a file beside the journal. */
export async function startWorker(options: WorkOptions): Promise<void> {
  const file = journalFile(options);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const log = openSync(join(dirname(file), "work.log"), "a", 0o600);
  try {
    const words = [process.argv[1]!, ...workerWords(file, options)];
    const child = spawn(process.execPath, words, { detached: true, stdio: ["ignore", log, log] });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}

function workerWords(file: string, { slots, secrets, allowPrivateNetwork }: WorkOptions): readonly string[] {
  return [
    "--color=never",
    "work",
    "--until-idle",
    "--yes",
    "--db",
    file,
    ...(slots === undefined ? [] : ["--slots", String(slots)]),
    ...(secrets === undefined ? [] : ["--secrets", secrets]),
    ...(allowPrivateNetwork === true ? ["--allow-private-network"] : []),
  ];
}
