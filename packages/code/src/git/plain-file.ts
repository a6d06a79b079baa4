// Files that an agent may have replaced: by a pipe, on which a reader would wait for ever, or by a device without an end.

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

const BYTES_MAX = 16 * 1024 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** The text of a plain file; undefined if there is none, or if it is too large. */
export async function readPlainFile(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, FLAGS);
    const found = await file.stat();
    return found.isFile() && found.size <= BYTES_MAX ? await file.readFile("utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
