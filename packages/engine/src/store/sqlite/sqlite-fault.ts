// What SQLite says, as faults of the store with a stable code.

import { StoreFault, type StoreFaultCode } from "../store-fault.ts";
import { toSystemFault } from "../system-fault.ts";

const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;

/** By SQLite's primary result code. What is not here is an I/O fault: something below us failed. */
const BY_RESULT: ReadonlyMap<number, readonly [StoreFaultCode, string]> = new Map([
  [1, ["STORE_CORRUPT", "a table is missing or not as it was made"]],
  [3, ["STORE_READ_ONLY", "access was denied"]],
  [5, ["STORE_BUSY", "another process is writing"]],
  [6, ["STORE_BUSY", "another connection is writing"]],
  [8, ["STORE_READ_ONLY", "it was opened for reading, or its file may not be written"]],
  [11, ["STORE_CORRUPT", "its file is damaged"]],
  [13, ["STORE_FULL", "the disk, or the size that the file is allowed, is full"]],
  [26, ["STORE_CORRUPT", "its file is not a database"]],
]);

/** The fault that an error stands for. Errors that are no fault of the world, bugs above all, stay what they are. */
export function toStoreFault(error: unknown): unknown {
  const result = resultCode(error);
  if (isTooLarge(error)) return new StoreFault("STORE_CORRUPT", `the store: ${error.message}`, { cause: error });
  if (result === undefined) return toSystemFault(error);
  const [code, why] = BY_RESULT.get(result & 0xff) ?? ["STORE_IO", "it could not be read or written"];
  return new StoreFault(code, `the store: ${why} (${(error as Error).message})`, { cause: error });
}

/** Segno writes no number that JavaScript cannot hold; node:sqlite throws when it reads one. */
function isTooLarge(error: unknown): error is Error {
  const isRange = error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
  return isRange && error.message.startsWith("Value is too large");
}

/** Somebody else inserted a row under this key. */
export function isKeyTaken(error: unknown): boolean {
  return resultCode(error) === SQLITE_CONSTRAINT_PRIMARYKEY;
}

/**
 * Whether SQLite failed at reading: what it read is damaged, or it could not read at all. Both look the same, because SQLite
 * reports EIO at reading as SQLITE_CORRUPT. It says nothing about what is stored, and may pass.
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
