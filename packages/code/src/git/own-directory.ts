// A temporary directory of this process, which disappears also after `kill -9`: the next process that creates one removes those
// whose owners have ended.
//
//   OD1. The owner holds a lock on a file in the directory, which the operating system releases when the owner ends. An id of
//        a process would not tell: another container that shares the disk has other ids.
//   OD2. A directory is removed only by its owner, or by a process that has taken its lock. That process renames it first, so
//        an owner that was about to lock it finds it gone and creates another one.

import { randomUUID } from "node:crypto";
import { existsSync, rmSync, type RmOptions } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { takeFileLock } from "./file-lock.ts";

const PREFIX = "segno-own-git-";
const LOCK = "owner.lock";
const ATTEMPTS_MAX = 100;
/**
 * A process that looks for abandoned directories may create the lock file again while the directory is removed. It removes the
 * directory then, or gives the lock up at once, so removing is tried again.
 */
const REMOVAL: RmOptions = { recursive: true, force: true, maxRetries: 20, retryDelay: 5 };

export class OwnDirectory {
  readonly path: string;
  readonly #lock: Disposable;

  private constructor(path: string, lock: Disposable) {
    this.path = path;
    this.#lock = lock;
  }

  static async create(): Promise<OwnDirectory> {
    await removeAbandoned();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const path = await mkdtemp(join(tmpdir(), PREFIX));
      const lock = await takeFileLock(join(path, LOCK));
      // OD2. The lock may be one of a file that was removed before it was locked.
      if (lock !== undefined && existsSync(join(path, LOCK))) {
        removeOnExit(path);
        return new OwnDirectory(path, lock);
      }
      lock?.[Symbol.dispose]();
    }
    throw new CodeError("GIT_FAILED", `no directory can be created in ${tmpdir()}: others remove it`);
  }

  async remove(): Promise<void> {
    keepOnExit(this.path);
    await rm(this.path, REMOVAL);
    this.#lock[Symbol.dispose]();
  }
}

/** Removes the directories of processes that have ended. An error must not stop the caller: the next process tries again. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || OPEN.has(path) || !(await isOwnFolder(path))) continue;
    await removeIfAbandoned(path).catch(() => undefined);
  }
}

async function removeIfAbandoned(path: string): Promise<void> {
  using lock = await takeFileLock(join(path, LOCK));
  if (lock === undefined) return;
  const removed = join(tmpdir(), `${PREFIX}${randomUUID()}`);
  await rename(path, removed);
  await rm(removed, REMOVAL);
}

/** Folders of other users may be traps: a link in them would lead to a file of this user. */
async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** The directories of this process. A process that exits without removing them removes them then. */
const OPEN = new Set<string>();

function removeOnExit(path: string): void {
  if (OPEN.size === 0) process.on("exit", removeAll);
  OPEN.add(path);
}

function keepOnExit(path: string): void {
  if (OPEN.delete(path) && OPEN.size === 0) process.off("exit", removeAll);
}

function removeAll(): void {
  for (const path of OPEN) rmSync(path, REMOVAL);
}
