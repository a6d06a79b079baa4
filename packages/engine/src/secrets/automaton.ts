// The automaton: finds all of many patterns in one pass over any text (Aho and Corasick).
//
// It works on UTF-8. It reads a string as the bytes of its encoding without creating them, so small strings are cheap
// and positions need no translation. The failure link of a state is computed when the state is first reached. Most
// states are never reached, so adding a pattern costs only its own length.
//
//   A1. The time is linear in the text, whatever the number of patterns and the content of the text.
//   A2. Of the patterns that end at a position only the longest is reported: the others lie within it.
//   A3. `depth` of a state is the length of the longest suffix of the input that may still become a match.
//   A4. A new pattern starts a new generation. A state from an older generation may lack links.

import type { Ranges } from "./ranges.ts";
import { growColumn, SHALLOW_MAX, Trie } from "./trie.ts";

export class Automaton {
  readonly #trie = new Trie();
  readonly #rows: Int32Array = this.#trie.rows;
  #generation = 0;
  /** The generation in which a state was linked; the next two arrays are valid for that generation. */
  #linked: Int32Array = new Int32Array(0);
  /** The failure link: the state of the longest suffix of the input that is a prefix of another pattern. */
  #fails: Int32Array = new Int32Array(0);
  /** The state of the longest pattern that ends here; 0 if none does. */
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

  /** The number of bytes read last that may begin a match. */
  depth(state: number): number {
    return this.#trie.depths[state]!;
  }

  /** Continues from a state with the bytes from a position on, adds matches to `found`, and returns the last state. */
  scanBytes(bytes: Uint8Array, from: number, start: number, ranges: Ranges): number {
    const rows = this.#rows;
    const lengths = this.#trie.depths;
    let state = start;
    for (let index = from; index < bytes.length; index++) {
      const byte = bytes[index]!;
      if (state <= SHALLOW_MAX) state = rows[(state << 8) | byte]!;
      else {
        state = this.#step(state, byte);
        const match = state <= SHALLOW_MAX ? 0 : this.#matchAt(state);
        if (match !== 0) ranges.add(index + 1 - lengths[match]!, index + 1);
      }
    }
    return state;
  }

  scanText(text: string, ranges: Ranges): void {
    const rows = this.#rows;
    const lengths = this.#trie.units;
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < 0x80) {
        if (state <= SHALLOW_MAX) {
          state = rows[(state << 8) | code]!;
          continue;
        }
        state = this.#step(state, code);
      } else {
        // A lone surrogate becomes bytes that no pattern has.
        const point = text.codePointAt(index)!;
        if (point > 0xffff) index++;
        state = this.#stepOver(state, point);
      }
      const match = state <= SHALLOW_MAX ? 0 : this.#matchAt(state);
      if (match !== 0) ranges.add(index + 1 - lengths[match]!, index + 1);
    }
  }

  #matchAt(state: number): number {
    if (this.#linked[state] !== this.#generation) this.#link(state);
    return this.#matches[state]!;
  }

  /** Each step back undoes a step forward, so the total cost stays linear (A1). */
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

  /** Steps over a character of several bytes. */
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

  /** Iterative, because a pattern may be long. */
  #link(state: number): void {
    const waiting = [state];
    while (waiting.length > 0) {
      const missing = this.#tryLink(waiting.at(-1)!);
      if (missing === 0) waiting.pop();
      else waiting.push(missing);
    }
  }

  /** Links a state, or returns the state that must be linked first: its parent, or its failure state. */
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
