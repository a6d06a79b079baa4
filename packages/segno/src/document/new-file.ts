// The path of a file that a command writes: a file is never replaced.

import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { SegnoError } from "@segno/kernel";

/** `to` is the file itself, or a folder in which the file gets the last part of its name. */
export function newFile(to: string, name: string): string {
  const file = statSync(to, { throwIfNoEntry: false })?.isDirectory() === true ? join(to, basename(name)) : to;
  if (existsSync(file)) throw new SegnoError("FILE_EXISTS", `${file} exists; name another file, or remove it`);
  return file;
}

/** An error of the system becomes an error about the file; any other error stays as it is. */
export function toFileError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  return new SegnoError("FILE_UNWRITABLE", `${file} cannot be written: ${error.message}`, { cause: error });
}
