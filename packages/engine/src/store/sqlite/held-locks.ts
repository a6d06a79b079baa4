// The POSIX locks of this process on some files, and whether the process still holds them.
//
// The system's list of all locks (`posix-locks.ts`) takes a kernel-wide lock, which costs milliseconds on a busy
// machine. Linux reports the locks of one open file in microseconds. This matters because every post asks before and
// after it.
//
//   H1. Linux reports a lock at the descriptor that took it, which is SQLite's. This class finds that descriptor once,
//       by the file that it is open on.
//   H2. A lock at the descriptor proves that the process holds it. A missing lock proves nothing, because another
//       connection of this process may have taken the lock by its own descriptor. In that case the system's list
//       decides.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import type { FileIdentity } from "./file-identity.ts";
import { holdsLocks, locksIn } from "./posix-locks.ts";

const DESCRIPTORS = "/proc/self/fd";
const INFO = "/proc/self/fdinfo";
/** Larger than the report of a file with all the locks that SQLite takes on it. */
const buffer = Buffer.alloc(4096);

export class HeldLocks {
  readonly #files: readonly FileIdentity[];
  /** For each file, the open report of the descriptor that locked it. */
  #infos: readonly number[] = [];

  private constructor(files: readonly FileIdentity[]) {
    this.#files = files;
  }

  /**
   * Undefined if this process lacks a lock on one of the files, or if the system does not report locks
   * (`areLocksVisible`).
   */
  static find(files: readonly FileIdentity[]): HeldLocks | undefined {
    if (files.length === 0 || holdsLocks(inodes(files)) !== true) return undefined;
    const locks = new HeldLocks(files);
    locks.#findDescriptors();
    return locks;
  }

  areHeld(): boolean {
    const isConfirmed =
      this.#infos.length === this.#files.length &&
      this.#infos.every((info, index) => isLockListed(info, this.#files[index]!.inode));
    return isConfirmed || this.#recheckAll();
  }

  close(): void {
    for (const info of this.#infos) closeSync(info);
    this.#infos = [];
  }

  #recheckAll(): boolean {
    if (holdsLocks(inodes(this.#files)) === false) return false;
    this.#findDescriptors();
    return true;
  }

  #findDescriptors(): void {
    this.close();
    const descriptors = readdirSync(DESCRIPTORS).map(Number);
    this.#infos = this.#files.flatMap((file) => openInfo(descriptors, file));
  }
}

/**
 * Whether any SQLite connection of this process has the file open. SQLite opens its descriptors with O_NOFOLLOW, and
 * Node.js does not. Undefined if the system does not report descriptors.
 */
export function hasConnectionHere(file: FileIdentity): boolean | undefined {
  try {
    return readdirSync(DESCRIPTORS)
      .map(Number)
      .some((descriptor) => isOpenOn(descriptor, file) && followsNoLinks(descriptor));
  } catch {
    return undefined;
  }
}

function followsNoLinks(descriptor: number): boolean {
  const [, flags = "0"] = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(`${INFO}/${descriptor}`, "latin1")) ?? [];
  return (Number.parseInt(flags, 8) & constants.O_NOFOLLOW) !== 0;
}

function openInfo(descriptors: readonly number[], file: FileIdentity): readonly number[] {
  for (const descriptor of descriptors) {
    if (!isOpenOn(descriptor, file)) continue;
    const info = openSync(`${INFO}/${descriptor}`, "r");
    if (isLockListed(info, file.inode)) return [info];
    closeSync(info);
  }
  return [];
}

/** The list of descriptors includes the one that was open only for the listing. */
function isOpenOn(descriptor: number, { device, inode }: FileIdentity): boolean {
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return dev === device && ino === inode;
  } catch {
    return false;
  }
}

function isLockListed(info: number, inode: bigint): boolean {
  try {
    const text = buffer.toString("latin1", 0, readSync(info, buffer, 0, buffer.length, 0));
    return locksIn(text).some((lock) => lock.inode === inode);
  } catch {
    // The descriptor was closed.
    return false;
  }
}

function inodes(files: readonly FileIdentity[]): readonly bigint[] {
  return files.map(({ inode }) => inode);
}
