// The POSIX locks of this process on some files, and whether it still holds them.
//
// The system's list of all locks (`posix-locks.ts`) takes a lock of the whole kernel, which costs milliseconds on a busy
// machine. What Linux says of one open file costs microseconds, and this is asked before and after every post.
//
//   H1. A lock is said of the descriptor that took it, and that is SQLite's. It is found once, by the file it is open on.
//   H2. That a descriptor has the lock is proof. That it does not is none: another connection of this process may have taken
//       the lock meanwhile, by a descriptor of its own. Then the system's list decides.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import type { FileIdentity } from "./file-identity.ts";
import { locksHere, locksIn } from "./posix-locks.ts";

const DESCRIPTORS = "/proc/self/fd";
const INFO = "/proc/self/fdinfo";
/** Longer than what is said of a file with all the locks that SQLite takes on it. */
const buffer = Buffer.alloc(4096);

export class HeldLocks {
  readonly #files: readonly FileIdentity[];
  /** For each file what the system says of the descriptor that locked it. */
  #infos: readonly number[] = [];

  private constructor(files: readonly FileIdentity[]) {
    this.#files = files;
  }

  /** Nothing when this process has no lock on one of them, or the system does not tell (`areLocksVisible`). */
  static find(files: readonly FileIdentity[]): HeldLocks | undefined {
    if (files.length === 0 || locksHere(inodes(files)) !== true) return undefined;
    const locks = new HeldLocks(files);
    locks.#findDescriptors();
    return locks;
  }

  areHeld(): boolean {
    const isProved =
      this.#infos.length === this.#files.length &&
      this.#infos.every((info, index) => saysLocked(info, this.#files[index]!.inode));
    return isProved || this.#askForAll();
  }

  close(): void {
    for (const info of this.#infos) closeSync(info);
    this.#infos = [];
  }

  #askForAll(): boolean {
    if (locksHere(inodes(this.#files)) === false) return false;
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
 * Whether SQLite has a descriptor open on the file in this process, by whatever connection. SQLite's descriptors follow no links,
 * and those of Node.js do. Nothing where the system does not tell.
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
    if (saysLocked(info, file.inode)) return [info];
    closeSync(info);
  }
  return [];
}

/** The list of descriptors has one that was open only for the list. */
function isOpenOn(descriptor: number, { device, inode }: FileIdentity): boolean {
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return dev === device && ino === inode;
  } catch {
    return false;
  }
}

function saysLocked(info: number, inode: bigint): boolean {
  try {
    const said = buffer.toString("latin1", 0, readSync(info, buffer, 0, buffer.length, 0));
    return locksIn(said).some((lock) => lock.inode === inode);
  } catch {
    // The descriptor was closed.
    return false;
  }
}

function inodes(files: readonly FileIdentity[]): readonly bigint[] {
  return files.map(({ inode }) => inode);
}
