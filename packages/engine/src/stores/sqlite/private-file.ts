import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes an empty file that only its owner may read; false when there is one. A file that exists is never opened here:
 * closing it would drop the locks that SQLite holds on it in this process (POSIX).
 */
export function createPrivateFile(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, "ax", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
