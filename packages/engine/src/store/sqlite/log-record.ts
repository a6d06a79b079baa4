// Records which write-ahead log the processes of this user created for a store.
//
// SQLite applies any log beside a database to it. A log may come from a repository or an archive: `.segno/` is ignored
// by git, and git overwrites ignored files. Such a log replaces the content of the user's own store, and the store
// still has the user's mark (`store-identity.ts`).
//
//   G1. A process that opens a store to write records the log before it writes: inode, birth time, and their HMAC under
//       the user's key. A file from elsewhere has another inode or another birth time.
//   G2. A log with content that is not the recorded one is foreign. An empty log is not foreign.
//   G3. A log is not foreign while a process owns the store, because that process has opened it. A log that replaces
//       the owner's is not opened at all (`log-use.ts`).
//   G4. The record is replaced atomically. Two processes that record the same log write the same record.

import { createHmac } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { StoreFault } from "../store-fault.ts";
import { toSystemFault } from "../system-fault.ts";
import { userKey } from "../user-key.ts";
import { isOwnedByAnother } from "./lost-locks.ts";
import { refuseUnlessPlain } from "./plain-file.ts";

/** More than a record ever has. */
const RECORD_BYTES_MAX = 1024;

let drafts = 0;

/** Whether another user or machine wrote the log beside the store. Without a user key the answer is unknown. */
export function isLogForeign(file: string): boolean {
  const log = statLog(file);
  if (log === undefined || log.size === 0n || isOwnedByAnother(file)) return false;
  const record = recordFor(log);
  return record !== undefined && readRecord(file) !== record;
}

export function refuseForeignLog(file: string): void {
  if (!isLogForeign(file)) return;
  const problem = `${file}-wal was written by another user, on another machine, or copied, or its record was removed`;
  throw new StoreFault(
    "STORE_FOREIGN",
    `${problem}; it has the last commits: accept it if the files are yours, and do not remove it without a copy`,
  );
}

/** Records the current log (G1). */
export function recordLog(file: string): void {
  const log = statLog(file);
  const record = log === undefined ? undefined : recordFor(log);
  if (record !== undefined && readRecord(file) !== record) writeRecord(file, record);
}

interface Log {
  readonly size: bigint;
  readonly ino: bigint;
  readonly birthtimeNs: bigint;
}

function statLog(file: string): Log | undefined {
  refuseUnlessPlain(`${file}-wal`);
  return statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
}

function recordFor({ ino, birthtimeNs }: Log): string | undefined {
  const key = userKey();
  if (key === undefined) return undefined;
  const text = `log ${ino} ${birthtimeNs}`;
  return `${text} ${createHmac("sha256", key).update(text).digest("hex")}\n`;
}

function recordFile(file: string): string {
  return `${file}-log`;
}

/** The folder is untrusted: opening a named pipe in it would block for ever, and no file can replace a folder. */
function readRecord(file: string): string | undefined {
  try {
    const record = recordFile(file);
    const stat = lstatSync(record);
    if (stat.isDirectory()) refuseUnlessPlain(record);
    return stat.isFile() && stat.size <= RECORD_BYTES_MAX ? readFileSync(record, "latin1") : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw toSystemFault(error);
  }
}

function writeRecord(file: string, record: string): void {
  const draft = `${recordFile(file)}.${process.pid}-${++drafts}`;
  try {
    const descriptor = openSync(draft, "wx", 0o600);
    try {
      writeSync(descriptor, record);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, recordFile(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw toSystemFault(error);
  }
}
