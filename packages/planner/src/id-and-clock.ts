/** What a pure function cannot make itself (PLAN-1). Whoever calls supplies it; there is no default here (ruling 6). */
export interface IdAndClock {
  /** A new id in UUID form, from a cryptographic generator, never the same twice. */
  readonly newId: () => string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}
