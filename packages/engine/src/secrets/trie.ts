// A trie: patterns as paths of bytes from a common root, in growable columns.
//
// The root is 0, which also stands for "none", because the root is never a child. The states after one byte have fixed
// numbers. These states and the root have a full transition row each, because most of a search is spent in them. Other
// states have few children, mostly one, in a linked list.

/** The states after one byte are 1 to this. */
export const SHALLOW_MAX = 256;

const CAPACITY_MIN = 4096;

export class Trie {
  size: number = SHALLOW_MAX + 1;
  /**
   * The transitions of the root and of the states after one byte. A byte without a child leads to the state that the
   * root leads to.
   */
  readonly rows: Int32Array = new Int32Array((SHALLOW_MAX + 1) << 8);
  parents: Int32Array = new Int32Array(CAPACITY_MIN);
  children: Int32Array = new Int32Array(CAPACITY_MIN);
  siblings: Int32Array = new Int32Array(CAPACITY_MIN);
  depths: Int32Array = new Int32Array(CAPACITY_MIN).fill(1, 1, SHALLOW_MAX + 1);
  labels: Uint8Array = new Uint8Array(CAPACITY_MIN);
  /** For a state that ends a pattern, its length in UTF-16 units. */
  units: Int32Array = new Int32Array(CAPACITY_MIN);

  get capacity(): number {
    return this.labels.length;
  }

  /** The pattern must be well-formed and have at least three bytes, so none ends in one of the first states. */
  insert(pattern: string): void {
    const bytes = Buffer.from(pattern);
    this.#reserve(bytes.length);
    let state = this.#first(bytes[0]!);
    for (let index = 1; index < bytes.length; index++)
      state = this.child(state, bytes[index]!) || this.#add(state, bytes[index]!);
    this.units[state] = pattern.length;
  }

  /** The child of a state after at least one byte; 0 if there is none. */
  child(state: number, byte: number): number {
    if (state <= SHALLOW_MAX) {
      const next = this.rows[(state << 8) | byte]!;
      return next > SHALLOW_MAX ? next : 0;
    }
    let child = this.children[state]!;
    while (child !== 0 && this.labels[child] !== byte) child = this.siblings[child]!;
    return child;
  }

  #first(byte: number): number {
    const state = byte + 1;
    if (this.rows[byte] === 0) for (let row = 0; row <= SHALLOW_MAX; row++) this.rows[(row << 8) | byte] ||= state;
    return state;
  }

  #add(parent: number, byte: number): number {
    const child = this.size++;
    this.parents[child] = parent;
    this.labels[child] = byte;
    this.depths[child] = this.depths[parent]! + 1;
    if (parent <= SHALLOW_MAX) this.rows[(parent << 8) | byte] = child;
    else {
      this.siblings[child] = this.children[parent]!;
      this.children[parent] = child;
    }
    return child;
  }

  #reserve(count: number): void {
    if (this.size + count <= this.capacity) return;
    const capacity = Math.max(2 * this.capacity, this.size + count);
    this.parents = growColumn(this.parents, capacity);
    this.children = growColumn(this.children, capacity);
    this.siblings = growColumn(this.siblings, capacity);
    this.depths = growColumn(this.depths, capacity);
    this.units = growColumn(this.units, capacity);
    const labels = new Uint8Array(capacity);
    labels.set(this.labels);
    this.labels = labels;
  }
}

export function growColumn(column: Int32Array, capacity: number): Int32Array {
  const larger = new Int32Array(capacity);
  larger.set(column);
  return larger;
}
