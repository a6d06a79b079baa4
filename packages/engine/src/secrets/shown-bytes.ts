// The bytes of a UTF-8 stream that a terminal shows: all except escape sequences, control characters and invisible
// characters. Line feeds and tabs count as shown.
//
// The sequences are those that the command removes before it shows a line: control sequences such as colours; strings
// such as titles and links, up to their end or the end of the line; and other escapes.
//
//   B1. The result does not depend on the chunks: `mode` says in which sequence a chunk ends, and the bytes of an
//       incomplete character are left for the next chunk.

/** The part of a sequence that comes next. */
export type SequenceMode = "none" | "escape" | "escape-end" | "parameters" | "parameters-end" | "string";

type ShortMode = Exclude<SequenceMode, "none" | "string">;

export interface ShownBytes {
  readonly bytes: Uint8Array;
  /** The position of each shown byte in the stream's bytes; undefined if all are shown. */
  readonly positions: Uint32Array | undefined;
  /** The number of the stream's bytes that were read. */
  readonly end: number;
  readonly mode: SequenceMode;
}

/** For a stream in which every byte counts. */
export function allBytes(bytes: Uint8Array): ShownBytes {
  return { bytes, positions: undefined, end: bytes.length, mode: "none" };
}

/** `isLast`: no byte follows that could complete a character. */
export function shownBytes(bytes: Uint8Array, mode: SequenceMode, isLast: boolean): ShownBytes {
  const first = mode === "none" ? nextSuspect(bytes, 0) : 0;
  if (first === bytes.length) return allBytes(bytes);
  const reader = new ShownReader(bytes, mode, isLast);
  reader.read(first);
  return reader.result();
}

/** The text without everything that a terminal does not show. It masks nothing. */
export function stripHidden(text: string): string {
  return text.search(HIDDEN) < 0 ? text : Buffer.from(shownBytes(Buffer.from(text), "none", true).bytes).toString();
}

/** Matches a character that is not shown, including the beginning of each sequence. */
export const HIDDEN: RegExp =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;

const ESCAPE = 0x1b;
const BELL = 0x07;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** `[`, and the one character that has the same meaning. */
const CONTROL_SEQUENCE: ReadonlySet<number> = new Set([0x5b, 0x9b]);
/** `P`, `X`, `]`, `^` and `_`, and the characters that have the same meaning. */
const STRING: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f, 0x90, 0x98, 0x9d, 0x9e, 0x9f]);
const STRING_END = 0x9c;

/** The length of the character that begins with a byte, if the character may be hidden; otherwise 0. */
const HIDDEN_LENGTHS: Uint8Array = new Uint8Array(256);
const HIDDEN_CODES: ReadonlySet<number> = listHidden();

function listHidden(): ReadonlySet<number> {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code);
  const hidden = codes.filter((code) => HIDDEN.test(String.fromCharCode(code)));
  for (const bytes of hidden.map((code) => Buffer.from(String.fromCharCode(code))))
    HIDDEN_LENGTHS[bytes[0]!] = bytes.length;
  return new Set(hidden);
}

function nextSuspect(bytes: Uint8Array, from: number): number {
  let index = from;
  while (index < bytes.length && HIDDEN_LENGTHS[bytes[index]!] === 0) index++;
  return index;
}

class ShownReader {
  readonly #source: Uint8Array;
  readonly #isLast: boolean;
  readonly #shown: Uint8Array;
  readonly #positions: Uint32Array;
  #count = 0;
  #index = 0;
  #mode: SequenceMode;

  constructor(source: Uint8Array, mode: SequenceMode, isLast: boolean) {
    this.#source = source;
    this.#mode = mode;
    this.#isLast = isLast;
    this.#shown = new Uint8Array(source.length);
    this.#positions = new Uint32Array(source.length);
  }

  /** The bytes before `first` are shown. */
  read(first: number): void {
    this.#showTo(first);
    while (this.#index < this.#source.length) {
      const mode = this.#mode;
      if (mode === "none" && !this.#readCharacter()) return;
      if (mode === "string" && !this.#readString()) return;
      if (mode !== "none" && mode !== "string") this.#readSequence(mode);
    }
  }

  result(): ShownBytes {
    const end = this.#index;
    const mode = this.#mode;
    if (this.#count === end) return { bytes: this.#source.subarray(0, end), positions: undefined, end, mode };
    const bytes = this.#shown.subarray(0, this.#count);
    return { bytes, positions: this.#positions.subarray(0, this.#count), end, mode };
  }

  #showTo(end: number): void {
    for (; this.#index < end; this.#index++, this.#count++) {
      this.#shown[this.#count] = this.#source[this.#index]!;
      this.#positions[this.#count] = this.#index;
    }
  }

  /** Returns false if the character is incomplete. */
  #readCharacter(): boolean {
    const code = this.#hiddenCode();
    if (code === undefined) return false;
    if (code < 0) {
      this.#showTo(Math.max(this.#index + 1, nextSuspect(this.#source, this.#index)));
      return true;
    }
    if (code === ESCAPE) this.#mode = "escape";
    else if (CONTROL_SEQUENCE.has(code)) this.#mode = "parameters";
    else if (STRING.has(code)) this.#mode = "string";
    this.#index += HIDDEN_LENGTHS[this.#source[this.#index]!]!;
    return true;
  }

  /** The hidden character at the index; -1 if the next byte is shown, undefined if the character is incomplete. */
  #hiddenCode(): number | undefined {
    const lead = this.#source[this.#index]!;
    const length = HIDDEN_LENGTHS[lead]!;
    if (length === 0) return -1;
    let code = length === 1 ? lead : lead & (0x7f >> length);
    for (let index = this.#index + 1; index < this.#index + length; index++) {
      const byte = this.#source[index];
      if (byte === undefined) return this.#isLast ? -1 : undefined;
      if (!isContinuation(byte)) return -1;
      code = (code << 6) | (byte & 0x3f);
    }
    return HIDDEN_CODES.has(code) ? code : -1;
  }

  /** Reads a byte of a sequence, or finds that the sequence has ended. */
  #readSequence(mode: ShortMode): void {
    const next = nextMode(mode, this.#source[this.#index]!);
    this.#mode = next ?? "none";
    if (next !== undefined) this.#index++;
  }

  /** Returns false if a character is incomplete. */
  #readString(): boolean {
    const byte = this.#source[this.#index]!;
    const isOver = byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === ESCAPE;
    const code = isOver ? byte : this.#hiddenCode();
    if (code === undefined) return false;
    if (isOver || code === BELL || code === STRING_END) this.#mode = "none";
    if (!isOver) this.#index += code < 0 ? 1 : HIDDEN_LENGTHS[byte]!;
    return true;
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The mode after a byte of an escape or a control sequence; undefined if the byte does not belong to it. */
function nextMode(mode: ShortMode, byte: number): SequenceMode | undefined {
  if (mode === "escape" && CONTROL_SEQUENCE.has(byte)) return "parameters";
  if (mode === "escape" && STRING.has(byte)) return "string";
  const isEscape = mode === "escape" || mode === "escape-end";
  if (byte >= 0x20 && byte <= 0x2f) return isEscape ? "escape-end" : "parameters-end";
  if (mode === "parameters" && byte >= 0x30 && byte <= 0x3f) return "parameters";
  return byte >= (isEscape ? 0x30 : 0x40) && byte <= 0x7e ? "none" : undefined;
}
