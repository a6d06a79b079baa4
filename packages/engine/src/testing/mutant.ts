// A planted bug: a change of the source that the simulator must detect.

export interface Mutant {
  /** The broken behaviour, as a sentence about the engine. */
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Every text to replace must occur exactly once: a mutant that no longer fits fails the test instead of passing it. */
export interface Change {
  /** Relative to packages/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
