// Opens files that another program may have replaced: a folder with a store can come from a repository or an archive.
//
// A link could lead to a device that never ends, and a FIFO blocks whoever opens it. So neither is opened.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined if it is not a regular file. Rejects if there is none. */
export async function openPlainFile(file: string): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, FLAGS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A link, and a socket.
    if (code === "ELOOP" || code === "ENXIO") return undefined;
    throw error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

/** The text of a small file; undefined if it is not a regular file, or larger than the limit. */
export async function readPlainText(file: string, bytesMax: number): Promise<string | undefined> {
  const handle = await openPlainFile(file);
  if (handle === undefined) return undefined;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytesMax + 1), 0, bytesMax + 1, 0);
    return bytesRead > bytesMax ? undefined : buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
