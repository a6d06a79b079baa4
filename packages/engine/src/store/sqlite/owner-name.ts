// The names of an owner's file and socket (`owner-socket.ts`), and whether a process has it. Loads nothing of the network.

import { lstatSync, readFileSync } from "node:fs";
import { StoreFault } from "../store-fault.ts";
import type { FileIdentity } from "./file-identity.ts";

/** Names that this process has: a process does not wait for itself. */
export const namesHere: Set<string> = new Set();

/** The file that is locked for the store in `file`. */
export function ownerFile(file: string): string {
  return `${file}-owner`;
}

export function ownerName({ device, inode }: FileIdentity): string {
  return `segno-owner-${device}-${inode}`;
}

/** Whether another process has the name. */
export function isOwnedElsewhere(database: FileIdentity): boolean {
  const name = ownerName(database);
  if (namesHere.has(name)) return false;
  try {
    return readFileSync("/proc/net/unix", "latin1").includes(`@${name}\n`);
  } catch {
    return false;
  }
}

/**
 * The folder may come from a stranger. A link in it would lead to any database of this user, which would be locked and taken out
 * of its WAL mode. No process of Segno writes to the file.
 */
export function refuseOther(file: string): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return;
  throw new StoreFault("STORE_FOREIGN", `${file} is not the empty file that Segno locks; remove it`);
}
