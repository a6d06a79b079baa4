// A file that is there whole or not at all, wherever the process that writes it is killed.
//
//   U1. It is written under another name in the same folder, synced, and given its name in one step; then the folder is
//       synced. Nobody ever sees a part of it under its name.
//   U2. A file that is there is never replaced: the name is given by a link, which fails where the name is taken.
//   U3. What a process left behind that was killed at it is removed by the next one that writes the same file. Its name says
//       which process that was.
//   U4. Between getting its name and losing the other one a file has two names. Neither a process that opens it then, nor
//       one that opens it after a kill at that moment, takes the second name for a hard link.

import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** File systems that know no links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const underWay = new Set<string>();
let count = 0;

export class WholeFile {
  readonly #file: string;
  /** Where it is written. */
  readonly partial: string;

  /** Makes an empty file beside it that only its owner may read. Throws `EEXIST` where the name is taken. */
  constructor(file: string, mode: number = 0o600) {
    this.#file = file;
    this.partial = `${file}.${process.pid}-${++count}.partial`;
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw fileExistsError(file);
    removeLeftovers(file);
    closeSync(openSync(this.partial, "wx", mode));
    underWay.add(this.partial);
  }

  /** It is written; from now on it is there. */
  publish(): void {
    try {
      sync(this.partial);
      this.#giveName();
      sync(dirname(this.#file));
    } finally {
      this.discard();
    }
  }

  /** Nothing of it stays, unless it was published. */
  discard(): void {
    rmSync(this.partial, { force: true });
    underWay.delete(this.partial);
  }

  #giveName(): void {
    try {
      linkSync(this.partial, this.#file);
      unlinkSync(this.partial);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
      if (lstatSync(this.#file, { throwIfNoEntry: false }) !== undefined) throw fileExistsError(this.#file);
      renameSync(this.partial, this.#file);
    }
  }
}

/** How many names a file has, without those under which it was written (U4). */
export function countNames(file: string): number {
  const { nlink = 1 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  if (nlink <= 1) return nlink;
  removeLeftovers(file);
  // The partial names come first: one that goes away after that lowers the number of links.
  const inodes = partialNames(file).map((path) => lstatSync(path, { throwIfNoEntry: false })?.ino);
  const found = lstatSync(file, { throwIfNoEntry: false });
  return (found?.nlink ?? 1) - inodes.filter((inode) => inode === found?.ino).length;
}

/** How the rest of such a name goes on, with what SQLite puts beside a database that it writes. */
const PARTIAL = /^(?<pid>\d+)-\d+\.partial(?:-wal|-shm|-journal)?$/u;

function partialNames(file: string): readonly string[] {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && PARTIAL.test(name.slice(start.length)))
    .map((name) => join(folder, name));
}

function removeLeftovers(file: string): void {
  for (const path of partialNames(file))
    if (isLeft(path, basename(path).slice(basename(file).length + 1))) removeQuietly(path);
}

/** On a read-only file system it stays, and disturbs nobody. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EROFS") throw error;
  }
}

/** A container has the same few process ids again and again, so our own id may be a predecessor's. */
function isLeft(path: string, rest: string): boolean {
  const pid = Number(PARTIAL.exec(rest)?.groups?.["pid"]);
  if (pid === process.pid) return ![...underWay].some((each) => path.startsWith(each));
  return pid > 0 && !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Windows has no way to sync a folder, and some file systems refuse it: their renames are durable by themselves. */
function sync(path: string): void {
  let file: number | undefined;
  try {
    file = openSync(path, lstatSync(path).isDirectory() ? "r" : "r+");
    fsyncSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!lstatSync(path).isDirectory() || !["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(code ?? "")) throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function fileExistsError(file: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${file} is there already`), { code: "EEXIST", syscall: "link", path: file });
}
