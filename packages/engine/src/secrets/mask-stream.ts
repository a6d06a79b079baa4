// A masked stream: output that comes in chunks of any size. It works on bytes and takes them for nothing but bytes, so that
// half a character, or no text at all, passes through as it came.
//
//   C1. What comes out, put together, is what would come out if everything had come in at once.
//   C2. Only what may be the beginning of a secret is held back, no more bytes than the longest variant has. The rest
//       goes out at once.
//   C3. Nothing is copied while there is nothing to mask: a chunk, or a part of it, is given back as it is.
//   C4. A secret that becomes known on the way is masked from then on, also where it has begun already and is held back.

import type { Automaton } from "./automaton.ts";
import { Ranges } from "./ranges.ts";
import { MASK } from "./secret-variants.ts";

/** Who knows the secrets. */
export interface StreamMasker {
  readonly isIdle: boolean;
  automaton(): Automaton;
}

const NOTHING = new Uint8Array(0);
const MASK_BYTES: Uint8Array = Buffer.from(MASK);

export class MaskStream {
  readonly #masker: StreamMasker;
  #automaton: Automaton | undefined;
  #generation = 0;
  #state = 0;
  /** What came in and did not go out yet; the automaton has read it. */
  #buffered: Uint8Array = NOTHING;
  /** Matches in what is held that are not out yet. */
  #found = new Ranges();
  /** So many bytes of what is held stand for a mask that is out already, which may still grow; -1 when there is none. */
  #maskedTo = -1;

  constructor(masker: StreamMasker) {
    this.#masker = masker;
  }

  write(chunk: Uint8Array): Uint8Array {
    if (this.#masker.isIdle) return chunk;
    const bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    this.#scan(bytes);
    return this.#release(bytes, bytes.length - this.#automaton!.depth(this.#state));
  }

  /** What was held back. Whatever is written after it begins a new text. */
  end(): Uint8Array {
    if (this.#buffered.length > 0) this.#scan(this.#buffered);
    const rest = this.#release(this.#buffered, this.#buffered.length);
    this.#state = 0;
    this.#maskedTo = -1;
    return rest;
  }

  /** Goes on behind what is held, or begins with it when there are secrets that were not known when it was read (C4). */
  #scan(bytes: Uint8Array): void {
    const automaton = this.#masker.automaton();
    let from = this.#buffered.length;
    if (automaton !== this.#automaton || automaton.generation !== this.#generation) {
      this.#automaton = automaton;
      this.#generation = automaton.generation;
      this.#found = new Ranges();
      this.#state = from = 0;
    }
    this.#state = automaton.scanBytes(bytes, from, this.#state, this.#found);
  }

  /** No match that is still to come begins before `safe`. One that begins there or before begins a mask, or goes on with one. */
  #release(bytes: Uint8Array, safe: number): Uint8Array {
    const out: Uint8Array[] = [];
    const { starts: starter, ends } = this.#found;
    let maskedTo = this.#maskedTo;
    let passed = 0;
    for (; passed < starter.length && starter[passed]! <= safe; passed++) {
      const start = starter[passed]!;
      if (start > maskedTo) pushMask(out, bytes.subarray(Math.max(0, maskedTo), start));
      maskedTo = Math.max(maskedTo, ends[passed]!);
    }
    if (safe > maskedTo) out.push(bytes.subarray(Math.max(0, maskedTo), safe));
    this.#maskedTo = maskedTo < safe ? -1 : maskedTo - safe;
    this.#found.shift(passed, safe);
    // A copy: the chunk belongs to whoever wrote it.
    this.#buffered = safe < bytes.length ? new Uint8Array(bytes.subarray(safe)) : NOTHING;
    return joinChunks(out);
  }
}

function pushMask(out: Uint8Array[], before: Uint8Array): void {
  if (before.length > 0) out.push(before);
  out.push(MASK_BYTES);
}

function joinChunks(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 0) return NOTHING;
  return parts.length === 1 && parts[0] !== MASK_BYTES ? parts[0]! : Buffer.concat(parts);
}
