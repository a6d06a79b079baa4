import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreFault } from "../store-fault.ts";

/**
 * Creates an empty file that only its owner may read; false if the file exists. It never opens an existing file:
 * closing it would drop the POSIX locks that SQLite holds on it in this process.
 */
export function createPrivateFile(file: string): boolean {
  makeFolder(dirname(file));
  try {
    closeSync(openSync(file, "ax", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Creates a folder with its parents; only the owner may read it. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new StoreFault("STORE_IO", `${folder} is a file and not a folder`, { cause: error });
  }
}
