// Masks the secrets in a stream, which arrives in chunks of any size. It treats them as bytes only, so that partial
// characters and binary data pass unchanged.
//
//   C1. The concatenated output does not depend on how the input is chunked.
//   C2. Only a possible beginning of a secret is held back, at most the length of the longest variant and 64 KiB of
//       hidden bytes in it. All other bytes are released at once.
//   C3. Without a match nothing is copied: a chunk, or a part of it, is returned as it is.
//   C4. A secret that is added meanwhile is masked from then on, including a beginning of it that is held back.
//   C5. Colours and other bytes that a terminal does not show do not hide a secret: those inside it are masked with it.
//       Every text can therefore be cut and stripped after it was masked, and no part of a secret remains.

import type { Automaton } from "./automaton.ts";
import { Ranges } from "./ranges.ts";
import { MASK } from "./secret-variants.ts";
import { allBytes, shownBytes, type SequenceMode, type ShownBytes } from "./shown-bytes.ts";

/** Removes secrets from a stream of bytes; may hold back a possible beginning of a secret until `end`. */
export interface StreamMasker {
  write(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** The masker that knows the secrets. */
export interface SecretMatcher {
  readonly isIdle: boolean;
  automaton(): Automaton;
}

const NOTHING = new Uint8Array(0);
const MASK_BYTES: Uint8Array = Buffer.from(MASK);
/** More hidden bytes than this are not part of a secret, so that endless ones take no memory. */
const HIDDEN_BYTES_MAX = 65_536;

/** Two passes: a secret may contain hidden bytes itself, or be in one of them, such as the address of a link. */
export class SecretStreamMasker implements StreamMasker {
  readonly #masker: SecretMatcher;
  readonly #whole: MaskPass;
  readonly #shown: MaskPass;

  constructor(masker: SecretMatcher) {
    this.#masker = masker;
    this.#whole = new MaskPass(masker, allBytes);
    this.#shown = new MaskPass(masker, shownBytes);
  }

  write(chunk: Uint8Array): Uint8Array {
    return this.#masker.isIdle ? chunk : this.#shown.write(this.#whole.write(chunk));
  }

  /** Returns the held-back bytes. A later write begins a new text. */
  end(): Uint8Array {
    return joinChunks([this.#shown.write(this.#whole.end()), this.#shown.end()]);
  }
}

/** Masks the secrets in what a terminal shows of a whole text. */
export function maskShown(text: string, masker: SecretMatcher): string {
  const bytes = Buffer.from(text);
  const pass = new MaskPass(masker, shownBytes);
  const masked = Buffer.concat([pass.write(bytes), pass.end()]);
  return masked.equals(bytes) ? text : masked.toString();
}

type ReadShown = (bytes: Uint8Array, mode: SequenceMode, isLast: boolean) => ShownBytes;

/** Searches the shown bytes of a stream. Positions are those of shown bytes, unless they are said to be of the stream. */
class MaskPass {
  readonly #masker: SecretMatcher;
  readonly #read: ReadShown;
  #automaton: Automaton | undefined;
  #generation = 0;
  #state = 0;
  /** The sequence in which the held-back bytes begin. */
  #mode: SequenceMode = "none";
  /** Held-back bytes of the stream. */
  #buffered: Uint8Array = NOTHING;
  /** The number of shown bytes in them that the automaton has read. */
  #scanned = 0;
  /** Matches in the held-back bytes that are not released yet. */
  #found = new Ranges();
  /**
   * The number of held-back bytes that belong to a mask that is already released and may still grow; -1 if there is
   * none.
   */
  #maskedTo = -1;

  constructor(masker: SecretMatcher, read: ReadShown) {
    this.#masker = masker;
    this.#read = read;
  }

  write(chunk: Uint8Array): Uint8Array {
    if (chunk.length === 0) return NOTHING;
    const bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const shown = this.#read(bytes, this.#mode, false);
    this.#scan(shown.bytes);
    return this.#release(bytes, shown, this.#safe(bytes, shown));
  }

  end(): Uint8Array {
    const shown = this.#read(this.#buffered, this.#mode, true);
    if (shown.bytes.length > 0) this.#scan(shown.bytes);
    const rest = this.#release(this.#buffered, shown, shown.bytes.length);
    this.#state = 0;
    this.#maskedTo = -1;
    this.#mode = "none";
    return rest;
  }

  /** Continues after the held-back bytes. It starts with them again if secrets were added since they were read (C4). */
  #scan(bytes: Uint8Array): void {
    const automaton = this.#masker.automaton();
    let from = this.#scanned;
    if (automaton !== this.#automaton || automaton.generation !== this.#generation) {
      this.#automaton = automaton;
      this.#generation = automaton.generation;
      this.#found = new Ranges();
      this.#state = from = 0;
    }
    this.#state = automaton.scanBytes(bytes, from, this.#state, this.#found);
  }

  /** The position before which no future match begins (C2). */
  #safe(bytes: Uint8Array, shown: ShownBytes): number {
    const safe = shown.bytes.length - this.#automaton!.depth(this.#state);
    const held = bytes.length - streamPosition(shown, safe);
    if (held - (shown.bytes.length - safe) <= HIDDEN_BYTES_MAX) return safe;
    this.#state = 0;
    return shown.bytes.length;
  }

  /** A match that begins at or before `safe` starts a mask or continues one. */
  #release(bytes: Uint8Array, shown: ShownBytes, safe: number): Uint8Array {
    const out: Uint8Array[] = [];
    const { starts, ends } = this.#found;
    let maskedTo = this.#maskedTo;
    let passed = 0;
    for (; passed < starts.length && starts[passed]! <= safe; passed++) {
      const before = unmaskedBefore(bytes, shown, maskedTo, starts[passed]!);
      if (maskedTo < 0 || before.length > 0) out.push(before, MASK_BYTES);
      maskedTo = Math.max(maskedTo, ends[passed]!);
    }
    const after = unmaskedBefore(bytes, shown, maskedTo, safe);
    out.push(after);
    this.#maskedTo = maskedTo < safe || after.length > 0 ? -1 : maskedTo - safe;
    this.#found.shift(passed, safe);
    this.#hold(bytes, shown, safe);
    return joinChunks(out);
  }

  /** Copies, because the chunk belongs to the writer. */
  #hold(bytes: Uint8Array, shown: ShownBytes, safe: number): void {
    const from = streamPosition(shown, safe);
    this.#buffered = from < bytes.length ? new Uint8Array(bytes.subarray(from)) : NOTHING;
    this.#scanned = shown.bytes.length - safe;
    // A byte that is shown is in no sequence.
    this.#mode = this.#scanned > 0 ? "none" : shown.mode;
  }
}

/** The bytes of the stream between the end of the last mask and a position; hidden bytes after the mask belong to them. */
function unmaskedBefore(bytes: Uint8Array, shown: ShownBytes, maskedTo: number, position: number): Uint8Array {
  if (maskedTo > position) return NOTHING;
  const from = maskedTo <= 0 ? 0 : streamPosition(shown, maskedTo - 1) + 1;
  return bytes.subarray(from, streamPosition(shown, position));
}

/** The position in the stream of a shown byte; of the end, the number of bytes that were read. */
function streamPosition({ bytes, positions, end }: ShownBytes, position: number): number {
  if (position === bytes.length) return end;
  return positions === undefined ? position : positions[position]!;
}

function joinChunks(given: readonly Uint8Array[]): Uint8Array {
  const parts = given.filter(({ length }) => length > 0);
  if (parts.length === 0) return NOTHING;
  return parts.length === 1 && parts[0] !== MASK_BYTES ? parts[0]! : Buffer.concat(parts);
}
