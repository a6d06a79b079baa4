// A lock between processes that is free at once when its owner ends, also by `kill -9`: an exclusive SQLite transaction on
// a file of its own.

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyedMutex } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";

const RETRY_MS = 10;
const WAIT_MS = 30_000;

/** A process must not open a locked file twice: closing one of them would release the lock. */
const inProcess = new KeyedMutex();

export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
  waitMs: number = WAIT_MS,
): Promise<Result> {
  return await inProcess.run(file, async () => {
    // A static import would fail on an old Node.js before its version is checked.
    const sqlite = await import("node:sqlite");
    const database = new sqlite.DatabaseSync(file, { timeout: 0 });
    try {
      await lock(database, file, waitMs);
      return await work();
    } finally {
      database.close();
    }
  });
}

/** Takes a lock and keeps it until it is disposed of; undefined if another owner has it, or if its folder is gone. */
export async function takeFileLock(file: string): Promise<Disposable | undefined> {
  const sqlite = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    const opened = (database = new sqlite.DatabaseSync(file, { timeout: 0 }));
    opened.exec("BEGIN EXCLUSIVE");
    return {
      [Symbol.dispose]: () => {
        if (opened.isOpen) opened.close();
      },
    };
  } catch (error) {
    database?.close();
    const isRefused = REFUSED.has((error as { readonly errcode?: number }).errcode ?? 0);
    // SQLite reports a file that was removed after it had been opened as an I/O error.
    if (isRefused || !existsSync(file)) return undefined;
    throw error;
  }
}

async function lock(database: DatabaseSync, file: string, waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return database.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      if ((error as { readonly errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      if (performance.now() > until)
        throw new CodeError("TASK_FILE_LOCKED", `another process has locked ${file} for more than ${waitMs / 1000} s`);
      await sleep(RETRY_MS * (0.5 + Math.random()));
    }
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;
const REFUSED: ReadonlySet<number> = new Set([SQLITE_BUSY, SQLITE_CANTOPEN]);
