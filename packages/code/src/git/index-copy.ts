// Copies an index with its time.
//
// Git takes a file for unchanged if its size and its time are those in the index, unless the index is not newer than the file.
// A copy that looks newer would hide a change that was made in the second in which the index was written.

import { constants, copyFile, lstat, utimes } from "node:fs/promises";

/** Copies to a file that must not exist. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await lstat(from);
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const time = Math.floor(mtimeMs / 1000);
  await utimes(to, time, time);
}
