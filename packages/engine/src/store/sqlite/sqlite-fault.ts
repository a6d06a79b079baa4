// Converts SQLite errors into store faults with stable codes.

import { StoreFault, type StoreFaultCode } from "../store-fault.ts";
import { toSystemFault } from "../system-fault.ts";

const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;

/** By SQLite's primary result code. Any other code is an I/O fault. */
const BY_RESULT: ReadonlyMap<number, readonly [StoreFaultCode, string]> = new Map([
  [1, ["STORE_CORRUPT", "a table is missing or was changed"]],
  [3, ["STORE_READ_ONLY", "access was denied"]],
  [5, ["STORE_BUSY", "another process is writing"]],
  [6, ["STORE_BUSY", "another connection is writing"]],
  [8, ["STORE_READ_ONLY", "it was opened read-only, or its file is not writable"]],
  [11, ["STORE_CORRUPT", "its file is damaged"]],
  [13, ["STORE_FULL", "the disk is full, or the file has reached its size limit"]],
  [26, ["STORE_CORRUPT", "its file is not a database"]],
]);

/** The store fault for an error. Errors that are not store faults, such as bugs, stay as they are. */
export function toStoreFault(error: unknown): unknown {
  const result = resultCode(error);
  if (isTooLarge(error)) return new StoreFault("STORE_CORRUPT", `the store: ${error.message}`, { cause: error });
  if (result === undefined) return toSystemFault(error);
  const [code, reason] = BY_RESULT.get(result & 0xff) ?? ["STORE_IO", "it could not be read or written"];
  return new StoreFault(code, `the store: ${reason} (${(error as Error).message})`, { cause: error });
}

/** Segno writes no number that JavaScript cannot represent; node:sqlite throws when it reads one (`row-reading.ts`). */
export function isTooLarge(error: unknown): error is Error {
  const isRange = error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
  return isRange && error.message.startsWith("Value is too large");
}

/** Another writer inserted a row with this key. */
export function isKeyTaken(error: unknown): boolean {
  return resultCode(error) === SQLITE_CONSTRAINT_PRIMARYKEY;
}

/**
 * Whether SQLite failed to read: the data is damaged, or it could not be read at all. SQLite reports both alike,
 * because it reports EIO at reading as SQLITE_CORRUPT. The error says nothing about the stored data and may be
 * transient.
 */
export function isReadFault(error: unknown): boolean {
  const result = resultCode(error instanceof StoreFault ? error.cause : error);
  return result !== undefined && (DAMAGED.has(result & 0xff) || UNREAD.has(result));
}

/** SQLITE_ERROR (a table is not found), SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<number> = new Set([1, 11, 26]);
/** SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_CORRUPTFS. */
const UNREAD: ReadonlySet<number> = new Set([266, 522, 8458]);

export function isBusy(error: unknown): boolean {
  return error instanceof StoreFault && error.code === "STORE_BUSY";
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
