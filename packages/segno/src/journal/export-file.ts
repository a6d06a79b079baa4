// Files of exported executions: one execution as lines of JSON.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

import { WholeFile } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { boundedLines } from "../document/bounded-lines.ts";
import { STANDARD_INPUT } from "../document/standard-input.ts";

/** The file appears when it is complete: an export without its last line cannot be imported (U1). */
export async function writeExport(file: string, lines: AsyncIterable<string>): Promise<void> {
  const whole = wholeFile(file);
  try {
    await using target = await open(whole.partial, "w");
    for await (const line of lines) await target.write(`${line}\n`);
    whole.publish();
  } catch (error) {
    throw error instanceof SegnoError ? error : unwritable(file, error);
  } finally {
    whole.discard();
  }
}

function wholeFile(file: string): WholeFile {
  try {
    return new WholeFile(file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, cause: unknown): SegnoError {
  if ((cause as NodeJS.ErrnoException).code === "EEXIST")
    return new SegnoError("STORE_EXISTS", `${file} already exists; choose another name`);
  return new SegnoError("STORE_IO", `${file} cannot be written: ${(cause as Error).message}`, { cause });
}

/** More than any line of an export: a row has at most 1 MB, and a value outside its row at most a little more. */
const LINE_BYTES_MAX = 128 * 1024 * 1024;

export async function* readExport(file: string): AsyncGenerator<string> {
  const input = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  try {
    yield* boundedLines(input, LINE_BYTES_MAX);
  } catch (cause) {
    if (cause instanceof SegnoError) throw cause;
    throw new SegnoError("INPUT_UNREADABLE", `${file}: ${(cause as Error).message}`, { cause });
  }
}
