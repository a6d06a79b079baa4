// A file that appears atomically: complete or not at all, even if the writing process is killed.
//
//   U1. The file is written under a temporary name in the same folder, synced, and then published under its name; then
//       the folder is synced. No reader sees a partial file under its name.
//   U2. An existing file is never replaced: the file is published by a link, which fails if the name is taken.
//   U3. The next process that writes the same file removes the leftovers of a killed process. The temporary name
//       contains the pid.
//   U4. A file briefly has two names while it is published. A process that opens it then, or after a kill at that
//       moment, does not mistake the temporary name for a hard link.

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

/** File systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const openFiles = new Set<string>();
let count = 0;

export class WholeFile {
  readonly #file: string;
  /** The temporary path. */
  readonly partial: string;

  /** Creates an empty temporary file that only its owner may read. Throws `EEXIST` if the name is taken. */
  constructor(file: string, mode: number = 0o600) {
    this.#file = file;
    this.partial = `${file}.${process.pid}-${++count}.partial`;
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw fileExistsError(file);
    removeStalePartials(file);
    closeSync(openSync(this.partial, "wx", mode));
    openFiles.add(this.partial);
  }

  /** Publishes the complete file under its name. */
  publish(): void {
    try {
      sync(this.partial);
      this.#publishName();
      sync(dirname(this.#file));
    } finally {
      this.discard();
    }
  }

  /** Removes the temporary file, unless it was published. */
  discard(): void {
    rmSync(this.partial, { force: true });
    openFiles.delete(this.partial);
  }

  #publishName(): void {
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

/** The number of names of a file, without its temporary names (U4). */
export function countNames(file: string): number {
  const { nlink = 1 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  if (nlink <= 1) return nlink;
  removeStalePartials(file);
  // Lists the temporary names first: a name that disappears after that lowers the number of links.
  const inodes = partialNames(file).map((path) => lstatSync(path, { throwIfNoEntry: false })?.ino);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return (stats?.nlink ?? 1) - inodes.filter((inode) => inode === stats?.ino).length;
}

/** The rest of a temporary name, including files that SQLite puts beside a database that it writes. */
const PARTIAL = /^(?<pid>\d+)-\d+\.partial(?:-wal|-shm|-journal)?$/u;

function partialNames(file: string): readonly string[] {
  const [folder, start] = [dirname(file), `${basename(file)}.`];
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && PARTIAL.test(name.slice(start.length)))
    .map((name) => join(folder, name));
}

function removeStalePartials(file: string): void {
  for (const path of partialNames(file))
    if (isStale(path, basename(path).slice(basename(file).length + 1))) removeQuietly(path);
}

/** On a read-only file system the file stays, which does no harm. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EROFS") throw error;
  }
}

/** A container reuses the same few pids, so a predecessor may have had our own pid. */
function isStale(path: string, rest: string): boolean {
  const pid = Number(PARTIAL.exec(rest)?.groups?.["pid"]);
  if (pid === process.pid) return ![...openFiles].some((each) => path.startsWith(each));
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

/** Windows cannot sync a folder, and some file systems refuse to: their renames are durable without it. */
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
  return Object.assign(new Error(`${file} already exists`), { code: "EEXIST", syscall: "link", path: file });
}
