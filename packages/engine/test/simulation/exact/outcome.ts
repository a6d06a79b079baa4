// The part of the facts that no delay, crash or clock changes: the end of each step, its number of attempts, and the
// reason (JOURNAL-3).

const REPEATED = /^(?:step\.lost|parked|paused|resumed)/u;

/** Each fact once and without its time; facts that a crash adds are left out. */
export function readOutcome(facts: readonly string[]): readonly string[] {
  const timeless = facts.map((fact) => fact.replace(/^-?\d+ /u, "").replace(/ until (?:-|-?\d+)$/u, ""));
  return [...new Set(timeless)].filter((fact) => !REPEATED.test(fact)).toSorted();
}
