import { statSync } from "node:fs";
import { fileLocks } from "../../src/store/sqlite/posix-locks.ts";

/** Whether some process locks each of these files of a store. */
export function areLocked(file: string, suffixes: readonly string[] = ["", "-shm", "-owner"]): boolean {
  const locked = new Set(fileLocks()?.map(({ inode }) => inode));
  return suffixes.every((suffix) => locked.has(statSync(file + suffix, { bigint: true }).ino));
}
