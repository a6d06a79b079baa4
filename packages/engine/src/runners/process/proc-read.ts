// Reads files and folders of `/proc`; Linux only.
//
//   RD1. If the system has no free file descriptor or no memory at the moment, nothing is known about processes. That must
//        not look like a process that is gone: the read waits until it is possible.
//   RD2. A process that is about to exit cannot wait. It has a descriptor in reserve, which it gives up.

import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { sleep } from "./sleep.ts";

const EXHAUSTED: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"]);
const TRY_AGAIN_MS = 10;

export function readProcFile(path: string): Promise<Buffer> {
  return whenPossible(() => readFile(path));
}

export function readProcFolder(path: string): Promise<readonly string[]> {
  return whenPossible(() => readdir(path));
}

export function readProcFileSync(path: string): Buffer {
  return withReserve(() => readFileSync(path));
}

export function readProcFolderSync(path: string): readonly string[] {
  return withReserve(() => readdirSync(path));
}

/** RD1. */
async function whenPossible<Result>(read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isExhausted(error)) throw error;
      await sleep(TRY_AGAIN_MS);
    }
  }
}

let reserve: number | undefined;

/** Call it while a descriptor is free (RD2). */
export function reserveDescriptor(): void {
  try {
    reserve ??= openSync("/dev/null", "r");
  } catch {
    // No descriptor is free now, or the system has no such file. The next call tries again.
  }
}

export function releaseDescriptor(): void {
  if (reserve !== undefined) closeSync(reserve);
  reserve = undefined;
}

function withReserve<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!isExhausted(error) || reserve === undefined) throw error;
    releaseDescriptor();
    return read();
  }
}

function isExhausted(error: unknown): boolean {
  return EXHAUSTED.has((error as NodeJS.ErrnoException).code);
}
