// Reads the file of a contract without trusting its size: it reads at most one byte more than the limit of a contract.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import { ContractError } from "../errors/contract-error.ts";
import { DOCUMENT_LIMITS } from "../document/document-limits.ts";

/** Returns the bytes of the file, cut one byte above the limit, so that `loadContract` refuses a file that is too large. */
export function readContractFile(file: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    if (fstatSync(descriptor).isDirectory()) throw unreadable(file, "it is a folder");
    return readAtMost(descriptor, DOCUMENT_LIMITS.bytes + 1);
  } catch (error) {
    throw error instanceof ContractError ? error : unreadable(file, toReason(error as NodeJS.ErrnoException));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAtMost(descriptor: number, limit: number): Uint8Array {
  const bytes = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const count = readSync(descriptor, bytes, length, limit - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission to read it was denied",
  EISDIR: "it is a folder",
};

function toReason({ code = "", message }: NodeJS.ErrnoException): string {
  return Object.hasOwn(REASONS, code) ? REASONS[code]! : message;
}

function unreadable(file: string, reason: string): ContractError {
  return new ContractError([
    {
      code: "CONTRACT_UNREADABLE",
      file,
      line: 1,
      column: 1,
      path: [],
      message: `expected a contract's file, but ${reason}`,
    },
  ]);
}
