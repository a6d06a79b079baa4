// The names of an owner's file and socket (`owner-socket.ts`), and whether a process holds a name. This file loads no
// network code.

import { lstatSync, readFileSync } from "node:fs";
import { StoreFault } from "../store-fault.ts";
import type { FileIdentity } from "./file-identity.ts";

/** Names that this process holds, so that the process does not wait for itself. */
export const ownNames: Set<string> = new Set();

/** The file that is locked for the store in `file`. */
export function ownerFile(file: string): string {
  return `${file}-owner`;
}

export function ownerName({ device, inode }: FileIdentity): string {
  return `segno-owner-${device}-${inode}`;
}

/** Whether another process holds the name. */
export function isOwnedElsewhere(database: FileIdentity): boolean {
  const name = ownerName(database);
  if (ownNames.has(name)) return false;
  try {
    return readFileSync("/proc/net/unix", "latin1").includes(`@${name}\n`);
  } catch {
    return false;
  }
}

/**
 * The folder is untrusted. A link in it could lead to any database of this user, which would be locked and switched out
 * of WAL mode. No Segno process writes to the owner file.
 */
export function refuseOther(file: string): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0 && stat.nlink <= 1)) return;
  throw new StoreFault("STORE_FOREIGN", `${file} is not the empty file that Segno locks; remove it`);
}
