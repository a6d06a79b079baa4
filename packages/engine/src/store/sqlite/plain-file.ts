import { lstatSync } from "node:fs";
import { StoreFault } from "../store-fault.ts";
import { toSystemFault } from "../system-fault.ts";

/**
 * Refuses anything but a plain file under a name that SQLite uses beside a store. The folder is untrusted: SQLite
 * treats a folder or a pipe there as a disk that fails, which the engine would retry for ever.
 */
export function refuseUnlessPlain(path: string): void {
  if (isPlainOrMissing(path)) return;
  throw new StoreFault("STORE_FOREIGN", `${path} is not a plain file, so Segno did not create it; remove it`);
}

function isPlainOrMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  } catch (error) {
    throw toSystemFault(error);
  }
}
