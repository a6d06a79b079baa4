// The lock of a folder's index, as git itself takes it: the file `index.lock`. While it exists, the user's git changes neither
// the index nor the branch of the folder.
//
// A process that is killed leaves the lock behind. The lock is a hard link to a file whose name has the id of its process, so a
// later process can tell that it was ours and that its owner is gone.

import { link, lstat, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const OWNER = /^segno-lock-(\d+)$/u;

export class IndexLock {
  readonly #gitDir: string;
  readonly #owner: string;

  private constructor(gitDir: string, owner: string) {
    this.#gitDir = gitDir;
    this.#owner = owner;
  }

  /** Takes the lock; undefined if another process has it. */
  static async take(gitDir: string): Promise<IndexLock | undefined> {
    await releaseDead(gitDir);
    const owner = join(gitDir, `segno-lock-${process.pid}`);
    try {
      await writeFile(owner, "", { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
      throw error;
    }
    try {
      await link(owner, lockFile(gitDir));
      return new IndexLock(gitDir, owner);
    } catch (error) {
      await rm(owner, { force: true });
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
      throw error;
    }
  }

  async release(): Promise<void> {
    await rm(lockFile(this.#gitDir), { force: true });
    await rm(this.#owner, { force: true });
  }
}

function lockFile(gitDir: string): string {
  return join(gitDir, "index.lock");
}

async function releaseDead(gitDir: string): Promise<void> {
  for (const name of await readdir(gitDir)) {
    const pid = Number(OWNER.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const owner = join(gitDir, name);
    if (await isSameFile(owner, lockFile(gitDir))) await rm(lockFile(gitDir), { force: true });
    await rm(owner, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([one, other].map((file) => lstat(file).catch(() => undefined)));
  return left !== undefined && right !== undefined && left.ino === right.ino && left.dev === right.dev;
}
