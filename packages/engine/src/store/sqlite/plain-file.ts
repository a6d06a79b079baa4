import { lstatSync, type Stats } from "node:fs";
import { StoreFault } from "../store-fault.ts";
import { toSystemFault } from "../system-fault.ts";

/**
 * Refuses anything but a plain file with one name, where SQLite uses a file beside a store. The folder is untrusted:
 * SQLite treats a folder or a pipe there as a disk that fails, which the engine would retry for ever, and it would
 * overwrite the file that a hard link leads to.
 */
export function refuseUnlessPlain(path: string): void {
  const stat = statEntry(path);
  if (stat === undefined || (stat.isFile() && stat.nlink <= 1)) return;
  const problem = stat.isFile() ? `has ${stat.nlink} names (hard links)` : "is not a plain file";
  throw new StoreFault("STORE_FOREIGN", `${path} ${problem}, so Segno did not create it; remove it`);
}

/** Whether anything has this name, also a link that leads nowhere. */
export function isNameTaken(path: string): boolean {
  return statEntry(path) !== undefined;
}

function statEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw toSystemFault(error);
  }
}
