// Converts errors of system calls into store faults with stable codes.

import { StoreFault, type StoreFaultCode } from "./store-fault.ts";

const BY_CODE: ReadonlyMap<string, readonly [StoreFaultCode, string]> = new Map([
  ["EACCES", ["STORE_READ_ONLY", "access was denied"]],
  ["EPERM", ["STORE_READ_ONLY", "access was denied"]],
  ["EROFS", ["STORE_READ_ONLY", "its file system is read-only"]],
  ["ENOSPC", ["STORE_FULL", "the disk is full"]],
  ["EDQUOT", ["STORE_FULL", "the disk's quota is used up"]],
  ["EEXIST", ["STORE_EXISTS", "the file already exists"]],
]);

/** The store fault for an error of a system call. Other errors stay as they are. */
export function toSystemFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return error;
  const [code, reason] = BY_CODE.get(String(error.code)) ?? ["STORE_IO", "its file could not be created or opened"];
  return new StoreFault(code, `the store: ${reason} (${error.message})`, { cause: error });
}
