import { statSync } from "node:fs";

/** Identifies a file independent of its name. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** The identity of the file that has this name now; undefined if there is none. */
export function fileIdentity(file: string): FileIdentity | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : { device: stat.dev, inode: stat.ino };
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one?.device === other?.device && one?.inode === other?.inode;
}
