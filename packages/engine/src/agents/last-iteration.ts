/** The result of an iteration after which the `until` function of its repetition returned true (STATE-13). */
export class LastIteration {
  readonly output: unknown;

  constructor(output: unknown) {
    this.output = output;
  }
}

/** Only the builder makes these results, in the same copy of Segno, so the class identifies them. */
export function isLastIteration(value: unknown): value is LastIteration {
  return value instanceof LastIteration;
}
