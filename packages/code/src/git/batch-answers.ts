// Splits the output of `git cat-file --batch-command` into answers.
//
// The answer to `info` is one line: `<id> <type> <size>`, or `<name> missing`. The answer to `contents` is the same line,
// then as many bytes as it says, and a line break.

import { isOid, type Oid } from "./oid.ts";

export interface ObjectInfo {
  readonly oid: Oid;
  readonly type: string;
  readonly bytes: number;
}

export interface AnswerReader {
  /** Decides about the content that follows this line. Without a content the answer ends here. */
  begin(object: ObjectInfo | undefined): "keep" | "skip" | "none";
  /** The answer is complete. `content` is empty unless it was kept. */
  end(object: ObjectInfo | undefined, content: Buffer): void;
  /** The output is not that of git; nothing more is read. */
  fail(problem: string): void;
}

/** Git repeats the name in its answer, and names are shorter than this. */
const LINE_BYTES_MAX = 16 * 1024;
const LINE_BREAK = 10;

interface OpenContent {
  readonly object: ObjectInfo;
  /** Undefined if the content is skipped. */
  readonly chunks: Buffer[] | undefined;
  /** With the line break behind the content. */
  bytesLeft: number;
}

export class BatchAnswers {
  readonly #reader: AnswerReader;
  #line: Buffer = Buffer.alloc(0);
  #content: OpenContent | undefined;
  #hasFailed = false;

  constructor(reader: AnswerReader) {
    this.#reader = reader;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#hasFailed;)
      at = this.#content === undefined ? this.#addToLine(chunk, at) : this.#addToContent(this.#content, chunk, at);
  }

  #addToLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(LINE_BREAK, at);
    const part = chunk.subarray(at, end < 0 ? chunk.length : end);
    this.#line = this.#line.length === 0 ? part : Buffer.concat([this.#line, part]);
    if (this.#line.length > LINE_BYTES_MAX) this.#fail("wrote a line that is too long");
    else if (end >= 0) this.#endLine();
    return end < 0 ? chunk.length : end + 1;
  }

  #endLine(): void {
    const line = this.#line.toString("utf8");
    this.#line = Buffer.alloc(0);
    const object = line.endsWith(" missing") ? undefined : readInfo(line);
    if (object === "unreadable") return this.#fail(`wrote an unreadable line: ${line.slice(0, 80)}`);
    const use = this.#reader.begin(object);
    if (object === undefined || use === "none") return this.#reader.end(object, Buffer.alloc(0));
    this.#content = { object, chunks: use === "keep" ? [] : undefined, bytesLeft: object.bytes + 1 };
  }

  #addToContent(content: OpenContent, chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + content.bytesLeft);
    content.chunks?.push(chunk.subarray(at, end));
    content.bytesLeft -= end - at;
    if (content.bytesLeft === 0) {
      this.#content = undefined;
      this.#reader.end(content.object, Buffer.concat(content.chunks ?? []).subarray(0, -1));
    }
    return end;
  }

  #fail(problem: string): void {
    this.#hasFailed = true;
    this.#reader.fail(problem);
  }
}

function readInfo(line: string): ObjectInfo | "unreadable" {
  const [oid = "", type = "", size = "", ...rest] = line.split(" ");
  const isReadable = isOid(oid) && type !== "" && /^\d+$/u.test(size) && rest.length === 0;
  return isReadable ? { oid, type, bytes: Number(size) } : "unreadable";
}
