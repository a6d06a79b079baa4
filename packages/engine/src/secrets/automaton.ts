// The automaton: finds every one of many patterns in one pass, whatever the text is (Aho and Corasick).
//
// It works on UTF-8. A text is read as the bytes that it would be, without making them, so that small strings cost little
// and positions need no translation. Where a state falls back to is found out when the state is reached for the first time:
// nearly all of them never are, and so a new pattern costs what is its own.
//
//   A1. The time is linear in the text; neither the number of patterns nor what the text holds changes that.
//   A2. Of the patterns that end at a place the longest is told: the others lie within it.
//   A3. `depth` a state is the longest end of what was read that may still become a match. Nothing before it can.
//   A4. A new pattern makes a new generation. A state from an older one may know less than it should.

import type { Ranges } from "./ranges.ts";
import { growColumn, SHALLOW_MAX, Trie } from "./trie.ts";

export class Automaton {
  readonly #trie = new Trie();
  readonly #rows: Int32Array = this.#trie.rows;
  #generation = 0;
  /** The generation in which a state was linked: what the next two say holds in that one. */
  #linked: Int32Array = new Int32Array(0);
  /** The state of the longest end of what was read that is the beginning of another pattern. */
  #fails: Int32Array = new Int32Array(0);
  /** The state of the longest pattern that ends here; 0 where none does. */
  #matches: Int32Array = new Int32Array(0);

  get generation(): number {
    return this.#generation;
  }

  add(patterns: Iterable<string>): void {
    for (const pattern of patterns) this.#trie.insert(pattern);
    const { capacity } = this.#trie;
    if (capacity > this.#linked.length) {
      this.#linked = growColumn(this.#linked, capacity);
      this.#fails = growColumn(this.#fails, capacity);
      this.#matches = growColumn(this.#matches, capacity);
    }
    this.#generation++;
  }

  /** How many bytes of what was read last may be the beginning of a match. */
  depth(state: number): number {
    return this.#trie.depths[state]!;
  }

  /** Goes on from a state with the bytes from a place on, adds what it finds, and gives back the state at their end. */
  scanBytes(bytes: Uint8Array, from: number, start: number, found: Ranges): number {
    const rows = this.#rows;
    const lengths = this.#trie.depths;
    let state = start;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (state <= SHALLOW_MAX) state = rows[(state << 8) | byte]!;
      else {
        state = this.#step(state, byte);
        const match = state <= SHALLOW_MAX ? 0 : this.#matchAt(state);
        if (match !== 0) found.add(at + 1 - lengths[match]!, at + 1);
      }
    }
    return state;
  }

  scanText(text: string, found: Ranges): void {
    const rows = this.#rows;
    const lengths = this.#trie.units;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x80) {
        if (state <= SHALLOW_MAX) {
          state = rows[(state << 8) | code]!;
          continue;
        }
        state = this.#step(state, code);
      } else {
        // A lone half of a surrogate pair becomes bytes that no pattern has.
        const point = text.codePointAt(at)!;
        if (point > 0xffff) at++;
        state = this.#stepOver(state, point);
      }
      const match = state <= SHALLOW_MAX ? 0 : this.#matchAt(state);
      if (match !== 0) found.add(at + 1 - lengths[match]!, at + 1);
    }
  }

  #matchAt(state: number): number {
    if (this.#linked[state] !== this.#generation) this.#link(state);
    return this.#matches[state]!;
  }

  /** Each step back undoes one that went forward, so they cost no more than those (A1). */
  #step(from: number, byte: number): number {
    const { children, siblings, labels } = this.#trie;
    let state = from;
    while (state > SHALLOW_MAX) {
      let child = children[state]!;
      while (child !== 0 && labels[child] !== byte) child = siblings[child]!;
      if (child !== 0) return child;
      if (this.#linked[state] !== this.#generation) this.#link(state);
      state = this.#fails[state]!;
    }
    return this.#rows[(state << 8) | byte]!;
  }

  /** A character of several bytes. */
  #stepOver(from: number, code: number): number {
    let state = from;
    if (code < 0x800) state = this.#step(state, 0xc0 | (code >> 6));
    else {
      if (code < 0x10000) state = this.#step(state, 0xe0 | (code >> 12));
      else {
        state = this.#step(state, 0xf0 | (code >> 18));
        state = this.#step(state, 0x80 | ((code >> 12) & 0x3f));
      }
      state = this.#step(state, 0x80 | ((code >> 6) & 0x3f));
    }
    return this.#step(state, 0x80 | (code & 0x3f));
  }

  /** Not by recursion: a pattern may be long. */
  #link(state: number): void {
    const waiting = [state];
    while (waiting.length > 0) {
      const missing = this.#tryLink(waiting.at(-1)!);
      if (missing === 0) waiting.pop();
      else waiting.push(missing);
    }
  }

  /** Links a state, or gives back one nearer to the root that has to be linked before it: its parent, or where it falls to. */
  #tryLink(state: number): number {
    const { parents, labels, units } = this.#trie;
    const parent = parents[state]!;
    if (this.#isUnlinked(parent)) return parent;
    const next = this.#step(parent <= SHALLOW_MAX ? 0 : this.#fails[parent]!, labels[state]!);
    if (this.#isUnlinked(next)) return next;
    this.#fails[state] = next;
    this.#matches[state] = units[state] === 0 ? this.#matches[next]! : state;
    this.#linked[state] = this.#generation;
    return 0;
  }

  /** The first states fall back to the root, and no pattern ends there. */
  #isUnlinked(state: number): boolean {
    return state > SHALLOW_MAX && this.#linked[state] !== this.#generation;
  }
}
