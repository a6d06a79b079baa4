import { statSync } from "node:fs";

/** Which file it is, whatever its name. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Of the file that has this name now; nothing when there is none. */
export function fileIdentity(file: string): FileIdentity | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : { device: stat.dev, inode: stat.ino };
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one?.device === other?.device && one?.inode === other?.inode;
}
