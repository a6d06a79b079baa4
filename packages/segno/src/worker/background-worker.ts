// Starts a background process that runs recorded executions after the command that recorded them has exited.

import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";

import { SegnoError } from "@segno/kernel";

import { journalFile } from "../journal/journal-options.ts";
import type { WorkOptions } from "../journal/work-options.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/**
 * For a journal that exists and is trusted (`journal-trust.ts`). Resolves when the process runs. The process writes its output
 * to a file beside the journal, and exits if the journal has a background worker already (`background-session.ts`).
 */
export async function startWorker(options: WorkOptions): Promise<void> {
  const file = journalFile(options);
  const log = openLog(file);
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

/** Throws if the log cannot be written. Called before an execution is recorded for the background process. */
export function checkLog(options: WorkOptions): void {
  closeSync(openLog(journalFile(options)));
}

/** The folder may be untrusted: a link in it could lead to any file of this user, and opening a pipe could block for ever. */
function openLog(journal: string): number {
  const file = join(dirname(journal), "work.log");
  let log: number | undefined;
  try {
    log = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stat = fstatSync(log);
    if (stat.isFile() && stat.nlink <= 1) return log;
  } catch (cause) {
    const why = isLink(file) ? "it is a symbolic link" : (cause as Error).message;
    throw new SegnoError("FILE_UNWRITABLE", `${file} cannot be written: ${why}`, { cause });
  }
  closeSync(log);
  throw new SegnoError(
    "FILE_UNWRITABLE",
    `${file} cannot be written: it is not a file, or it has several names (hard links)`,
  );
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function workerWords(file: string, options: WorkOptions): readonly string[] {
  const { slots, secrets, allowPrivateNetwork, import: modules = [] } = options;
  return [
    "--color=never",
    "work",
    "--until-idle",
    "--background",
    "--yes",
    "--db",
    file,
    ...(slots === undefined ? [] : ["--slots", String(slots)]),
    ...(secrets === undefined ? [] : ["--secrets", secrets]),
    ...(allowPrivateNetwork === true ? ["--allow-private-network"] : []),
    ...modules.flatMap((module) => ["--import", module]),
  ];
}
