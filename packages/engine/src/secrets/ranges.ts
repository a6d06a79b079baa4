// Sorted ranges of a text. Ranges that overlap are merged; ranges that touch are not.

export class Ranges {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  get count(): number {
    return this.starts.length;
  }

  /** The end must not lie before the end of any earlier range. */
  add(start: number, end: number): void {
    let first = start;
    for (let last = this.ends.length - 1; last >= 0 && this.ends[last]! > start; last--) {
      first = Math.min(first, this.starts.pop()!);
      this.ends.pop();
    }
    this.starts.push(first);
    this.ends.push(end);
  }

  /** Removes the first `count` ranges, and shifts the origin of the others. */
  shift(count: number, by: number): void {
    this.starts.splice(0, count);
    this.ends.splice(0, count);
    for (let each = 0; each < this.starts.length; each++) {
      this.starts[each]! -= by;
      this.ends[each]! -= by;
    }
  }
}
