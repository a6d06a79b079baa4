// Ranges: parts of a text, from left to right, of which no two touch. What touches or overlaps becomes one.

export class Ranges {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  get count(): number {
    return this.starts.length;
  }

  /** Its end lies behind, or at, those of all that were added before. */
  add(start: number, end: number): void {
    let first = start;
    for (let last = this.ends.length - 1; last >= 0 && this.ends[last]! >= start; last--) {
      first = Math.min(first, this.starts.pop()!);
      this.ends.pop();
    }
    this.starts.push(first);
    this.ends.push(end);
  }

  /** Forgets the first ones, and counts from another place on. */
  shift(count: number, by: number): void {
    this.starts.splice(0, count);
    this.ends.splice(0, count);
    for (let each = 0; each < this.starts.length; each++) {
      this.starts[each]! -= by;
      this.ends[each]! -= by;
    }
  }
}
