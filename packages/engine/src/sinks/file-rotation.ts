// The rotation of a file: `name` becomes `name.1`, `name.1` becomes `name.2`, and the oldest one is removed.
//
//   FR1. Files move from the oldest to the newest, so a crash between two moves loses none: it leaves a gap.
//   FR2. Only the files before the first gap move, so a gap is filled before the oldest file is removed.

import { lstat, rename } from "node:fs/promises";

/** When a file is rotated, and how many rotated files are kept. */
export interface FileRotation {
  /** The size that a file may reach. */
  readonly maxBytes: number;
  /** The number of rotated files that are kept beside the current one. */
  readonly maxFiles: number;
}

/** Moves the file away. The caller creates the next one when it writes again. */
export async function rotateFile(path: string, { maxFiles }: FileRotation): Promise<void> {
  let last = 1;
  while (last < maxFiles && (await exists(`${path}.${last}`))) last++;
  for (let number = last; number > 1; number--) await rename(`${path}.${number - 1}`, `${path}.${number}`);
  await rename(path, `${path}.1`);
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
