// Appends lines to a file.
//
//   FO1. A batch is one write at the end of the file, so several processes may append to one file.
//   FO2. The path decides: if the file was moved or removed, for example by a log rotation, a new one is created.
//   FO3. A line that a failure or a crash has cut is ended before the next one begins.

import { mkdir, open, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { SinkOutput } from "./sink-output.ts";

interface OpenFile {
  readonly handle: FileHandle;
  /** Device and inode. */
  readonly identity: string;
}

const NEWLINE = 10;

export class FileSinkOutput implements SinkOutput {
  readonly name: string;
  readonly #path: string;
  #file: OpenFile | undefined;
  #isCut = false;

  constructor(path: string) {
    this.#path = path;
    this.name = `the sink ${path}`;
  }

  async send(lines: readonly string[]): Promise<void> {
    const { handle } = await this.#current();
    const bytes = Buffer.from(`${this.#isCut ? "\n" : ""}${lines.join("\n")}\n`);
    for (let from = 0; from < bytes.byteLength;) {
      // A short write is rare: the disk is nearly full. The next one reports the cause.
      const { bytesWritten } = await handle.write(bytes, from);
      from += bytesWritten;
      this.#isCut = from < bytes.byteLength && bytes[from - 1] !== NEWLINE;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  async #current(): Promise<OpenFile> {
    if (this.#file !== undefined && this.#file.identity === (await identityAt(this.#path))) return this.#file;
    await this.close();
    await mkdir(dirname(this.#path), { recursive: true });
    const handle = await open(this.#path, "a+", 0o600);
    try {
      const { dev, ino, size } = await handle.stat({ bigint: true });
      this.#isCut = size > 0n && (await lastByte(handle, size)) !== NEWLINE;
      this.#file = { handle, identity: `${dev} ${ino}` };
      return this.#file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

async function lastByte(handle: FileHandle, size: bigint): Promise<number | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, Number(size) - 1);
  return bytesRead === 0 ? undefined : buffer[0];
}

async function identityAt(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
