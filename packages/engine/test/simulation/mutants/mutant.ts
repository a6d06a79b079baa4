// A planted bug: a change of the source that the simulator must find, so that we know what it can see.

export interface Mutant {
  /** What is broken, as a sentence about the engine. */
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Every text to replace must occur exactly once: a mutant that no longer fits fails the test instead of passing it. */
export interface Change {
  /** Under packages/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
