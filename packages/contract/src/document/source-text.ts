// The text of a document. It checks that the bytes are text, and converts offsets to lines and columns.
//
// Not its job: to know YAML. It refuses input that no parser should get: too many bytes, bytes that are not UTF-8, control
// characters.
//
//   T1. The size is checked before anything is decoded.
//   T2. Columns count UTF-16 units from 1, as editors do, so that computing a position costs O(log lines) for lines of any length.

import { groupedDigits } from "../text/grouped-digits.ts";
import { DOCUMENT_LIMITS } from "./document-limits.ts";
import { refuse } from "./node-problem.ts";

const BYTE_ORDER_MARK = "\uFEFF";
// Of the control characters, YAML allows only tab, line feed and carriage return.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/u;

export interface Position {
  readonly line: number;
  readonly column: number;
}

export class SourceText {
  readonly text: string;
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.#lineStarts = lineStarts(text);
  }

  position(offset: number): Position {
    const line = this.#lineAt(Math.min(Math.max(offset, 0), this.text.length));
    return { line: line + 1, column: Math.max(offset - this.#lineStarts[line]!, 0) + 1 };
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export function readSource(content: string | Uint8Array): SourceText {
  return new SourceText(typeof content === "string" ? checkedText(content) : decodeSource(content));
}

/** Refuses text that cannot be a document. */
export function checkSource({ text }: SourceText): void {
  const control = CONTROL.exec(text);
  if (control !== null) {
    const name = `U+${control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    throw refuse(
      "CONTRACT_ENCODING",
      control.index,
      `expected text, found the control character ${name}`,
      "is this a binary file?",
    );
  }
  if (text.trim() === "") throw refuse("CONTRACT_EMPTY", 0, "expected a contract, found an empty document");
}

function checkedText(text: string): string {
  // A string has at least as many UTF-8 bytes as UTF-16 units, so a string that is far too long is refused without counting.
  if (text.length > DOCUMENT_LIMITS.bytes) throw tooLarge(`${groupedDigits(text.length)} characters`);
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > DOCUMENT_LIMITS.bytes) throw tooLarge(`${groupedDigits(bytes)} bytes`);
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function decodeSource(bytes: Uint8Array): string {
  if (bytes.byteLength > DOCUMENT_LIMITS.bytes) throw tooLarge(`${groupedDigits(bytes.byteLength)} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse(
      "CONTRACT_ENCODING",
      0,
      "expected UTF-8 text, found bytes that are not UTF-8",
      "save the file as UTF-8; is it a binary file?",
    );
  }
}

function tooLarge(found: string): Error {
  const limit = groupedDigits(DOCUMENT_LIMITS.bytes);
  return refuse("CONTRACT_TOO_LARGE", 0, `expected at most ${limit} bytes (1 MiB), found ${found}`);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
