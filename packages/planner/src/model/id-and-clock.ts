/** Ids and time, which a pure function cannot make (PLAN-1). The caller supplies both; there is no default here (ruling 6). */
export interface IdAndClock {
  /** A new id in UUID form, from a cryptographic generator, never the same twice. */
  readonly newId: () => string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}
