// A masked stream: output that arrives in chunks of any size. It treats them as bytes only, so that partial characters
// and binary data pass unchanged.
//
//   C1. The concatenated output does not depend on how the input is chunked.
//   C2. Only a possible beginning of a secret is held back, at most the length of the longest variant. All other bytes
//       are released at once.
//   C3. Without a match nothing is copied: a chunk, or a part of it, is returned as it is.
//   C4. A secret that is added meanwhile is masked from then on, including a beginning of it that is held back.

import type { Automaton } from "./automaton.ts";
import { Ranges } from "./ranges.ts";
import { MASK } from "./secret-variants.ts";

/** The masker that knows the secrets. */
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
  /** Held-back input that the automaton has read. */
  #buffered: Uint8Array = NOTHING;
  /** Matches in the held-back bytes that are not released yet. */
  #found = new Ranges();
  /**
   * The number of held-back bytes that belong to a mask that is already released and may still grow; -1 if there is
   * none.
   */
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

  /** Returns the held-back bytes. A later write begins a new text. */
  end(): Uint8Array {
    if (this.#buffered.length > 0) this.#scan(this.#buffered);
    const rest = this.#release(this.#buffered, this.#buffered.length);
    this.#state = 0;
    this.#maskedTo = -1;
    return rest;
  }

  /** Continues after the held-back bytes. It starts with them again if secrets were added since they were read (C4). */
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

  /** No future match begins before `safe`. A match that begins at or before it starts a mask or continues one. */
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
    // Copies, because the chunk belongs to the writer.
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
