// Secrets in a dotenv file, or in a folder with one file per secret, as Docker and Kubernetes mount them.
//
//   F1. Every request checks the files, and reads those that have changed since the last read.
//   F2. A file of any kind (huge, binary, a pipe without a writer) causes at worst an error with a code.
//   F3. A name is a file name in the folder: it is neither a path nor a hidden file.

import { constants, type BigIntStats } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { SegnoError } from "@segno/kernel";
import { parseDotenv } from "./dotenv-parser.ts";
import type { SecretSource } from "./source.ts";
import { SECRET_CHARACTERS_MAX } from "./secret-variants.ts";

const LINES_BYTES_MAX = 1_048_576;
/** A UTF-8 character has up to four bytes. */
const ONE_BYTES_MAX = 4 * SECRET_CHARACTERS_MAX;

/** Options of `fileSecrets`. */
export interface FileSecretsOptions {
  /** Called once for a dotenv file that users other than its owner can read. */
  readonly warn?: (message: string) => void;
}

/** Reads secrets from a dotenv file, or from a folder with one file for each secret. */
export function fileSecrets(path: string, { warn = ignore }: FileSecretsOptions = {}): SecretSource {
  const files = new Map<string, CachedFile>();
  const lines = new CachedFile(path, LINES_BYTES_MAX, (text) => parseDotenv(text, `\`${path}\``));
  const onceWarned = once(warn);
  return {
    get: async (names) => {
      if ((await systemCall(path, () => stat(path))).isDirectory()) return fromFolder(path, names, files);
      const { values, isShared } = await lines.read();
      if (isShared) onceWarned(`users other than its owner can read \`${path}\`; \`chmod 600\` makes it private`);
      return new Map(names.flatMap((name) => (values.has(name) ? [[name, values.get(name)!]] : [])));
    },
    where: () => `\`${path}\``,
  };
}

async function fromFolder(
  folder: string,
  names: readonly string[],
  files: Map<string, CachedFile>,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const name of names.filter(isFileName)) {
    const file = files.get(name) ?? new CachedFile(join(folder, name), ONE_BYTES_MAX, (text) => oneValue(name, text));
    files.set(name, file);
    const value = (await file.readIfThere())?.values.get(name);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

function isFileName(name: string): boolean {
  return /^[^./\\\0][^/\\\0]*$/u.test(name);
}

/** Removes the final line break, which editors and `echo` add. */
function oneValue(name: string, text: string): ReadonlyMap<string, string> {
  const value = text.replace(/\r?\n$/u, "");
  return new Map(value === "" ? [] : [[name, value]]);
}

interface FileContent {
  readonly values: ReadonlyMap<string, string>;
  /** Users other than its owner may read the file. */
  readonly isShared: boolean;
}

class CachedFile {
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #parse: (text: string) => ReadonlyMap<string, string>;
  #mark = "";
  #values: ReadonlyMap<string, string> = new Map();

  constructor(path: string, bytesMax: number, parse: (text: string) => ReadonlyMap<string, string>) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    this.#parse = parse;
  }

  async readIfThere(): Promise<FileContent | undefined> {
    try {
      return await this.read();
    } catch (error) {
      if (error instanceof SegnoError && isMissing(error.cause)) return undefined;
      throw error;
    }
  }

  async read(): Promise<FileContent> {
    // Opening a pipe without a writer would block.
    const handle = await this.#call(() => open(this.#path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
    try {
      const stats = await this.#call(() => handle.stat({ bigint: true }));
      if (!stats.isFile()) throw invalid(this.#path, "is not a file");
      await this.#refresh(handle, stats);
      return { values: this.#values, isShared: process.platform !== "win32" && (stats.mode & 0o044n) !== 0n };
    } finally {
      await handle.close();
    }
  }

  async #refresh(handle: FileHandle, stats: BigIntStats): Promise<void> {
    const { mtimeNs, ctimeNs, size, ino } = stats;
    const mark = [mtimeNs, ctimeNs, size, ino].join(" ");
    if (mark === this.#mark) return;
    this.#values = this.#parse(await this.#text(handle));
    this.#mark = mark;
  }

  async #text(handle: FileHandle): Promise<string> {
    const bytes = Buffer.alloc(this.#bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      ({ bytesRead: read } = await this.#call(() => handle.read(bytes, length, bytes.length - length, length)));
    if (length > this.#bytesMax) throw invalid(this.#path, `has more than ${this.#bytesMax} bytes`);
    return decodeFile(this.#path, bytes.subarray(0, length));
  }

  #call<Result>(call: () => Promise<Result>): Promise<Result> {
    return systemCall(this.#path, call);
  }
}

function decodeFile(path: string, bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // The error is thrown below.
  }
  throw invalid(path, "is not UTF-8 text");
}

async function systemCall<Result>(path: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new SegnoError("SECRET_UNAVAILABLE", `\`${path}\` cannot be read (${code})`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function invalid(path: string, problem: string): SegnoError {
  return new SegnoError("SECRET_INVALID", `\`${path}\` ${problem}`);
}

function once(warn: (message: string) => void): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (isTold) return;
    isTold = true;
    warn(message);
  };
}

function ignore(): void {}
