// Appends lines to a file, and rotates it (`file-rotation.ts`).
//
//   FO1. Lines are written in one piece at the end of the file, so several processes may append to one file.
//   FO2. The path decides: if the file was moved or removed, by this or by another program, a new one is created.
//   FO3. A line that a failure or a crash has cut is ended before the next one begins, and before the file is rotated.
//   FO4. A file is rotated between two lines, before it would become larger than `maxBytes`. One line that is larger gets
//        a file of its own.
//   FO5. A file that cannot be rotated is reported and grows further; its lines are not lost.

import { mkdir, open, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { rotateFile, type FileRotation } from "./file-rotation.ts";
import type { SinkOutput } from "./sink-output.ts";

interface OpenFile {
  readonly handle: FileHandle;
  /** Device and inode. */
  readonly identity: string;
}

/** The file that the path leads to now. */
interface FileAtPath {
  readonly identity: string;
  readonly size: number;
}

const NEWLINE = 10;

export class FileSinkOutput implements SinkOutput {
  readonly type = "file";
  readonly name: string;
  readonly #path: string;
  readonly #rotation: FileRotation;
  readonly #onError: (error: unknown) => void;
  #file: OpenFile | undefined;
  #size = 0;
  #isCut = false;
  /** The size at which the file is rotated; larger than `maxBytes` after a rotation that failed (FO5). */
  #rotateAt: number;

  constructor(path: string, rotation: FileRotation, onError: (error: unknown) => void) {
    this.#path = path;
    this.#rotation = rotation;
    this.#rotateAt = rotation.maxBytes;
    this.#onError = onError;
    this.name = path;
  }

  async send(lines: readonly string[]): Promise<void> {
    let piece: string[] = [];
    let bytes = 0;
    await this.#reopen();
    for (const line of lines) {
      const added = Buffer.byteLength(line) + 1;
      if (this.#size + bytes > 0 && this.#size + bytes + added > this.#rotateAt) {
        if (piece.length > 0) await this.#append(piece);
        [piece, bytes] = [[], 0];
        await this.#rotate();
      }
      piece.push(line);
      bytes += added;
    }
    await this.#append(piece);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  async #append(lines: readonly string[]): Promise<void> {
    await this.#write(Buffer.from(`${this.#isCut ? "\n" : ""}${lines.join("\n")}\n`));
  }

  async #write(bytes: Buffer): Promise<void> {
    const { handle } = this.#file!;
    for (let from = 0; from < bytes.byteLength;) {
      // A short write is rare: the disk is nearly full. The next one reports the cause.
      const { bytesWritten } = await handle.write(bytes, from);
      from += bytesWritten;
      this.#size += bytesWritten;
      this.#isCut = from < bytes.byteLength && bytes[from - 1] !== NEWLINE;
    }
  }

  async #rotate(): Promise<void> {
    try {
      if (this.#isCut) await this.#write(Buffer.from("\n"));
      // Another process may have rotated the file meanwhile; its new file stays.
      const isSame = (await fileAt(this.#path))?.identity === this.#file!.identity;
      // Windows does not move a file that is open.
      await this.close();
      if (isSame) await rotateFile(this.#path, this.#rotation);
      this.#rotateAt = this.#rotation.maxBytes;
    } catch (error) {
      this.#rotateAt = this.#size + this.#rotation.maxBytes;
      this.#onError(error);
    }
    await this.#reopen();
  }

  /** Opens the file that the path leads to, unless it is open. */
  async #reopen(): Promise<void> {
    const found = this.#file === undefined ? undefined : await fileAt(this.#path);
    if (found !== undefined && found.identity === this.#file!.identity) {
      this.#size = found.size;
      return;
    }
    await this.close();
    await mkdir(dirname(this.#path), { recursive: true });
    const handle = await open(this.#path, "a+", 0o600);
    try {
      const { dev, ino, size } = await handle.stat({ bigint: true });
      this.#isCut = size > 0n && (await lastByte(handle, size)) !== NEWLINE;
      this.#size = Number(size);
      this.#file = { handle, identity: `${dev} ${ino}` };
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

async function fileAt(path: string): Promise<FileAtPath | undefined> {
  try {
    const { dev, ino, size } = await stat(path, { bigint: true });
    return { identity: `${dev} ${ino}`, size: Number(size) };
  } catch {
    return undefined;
  }
}
