// The part of the facts that no time, crash or clock changes: what became of each step, in how many attempts, and why (JOURNAL-3).

const REPEATED = /^(?:step\.lost|parked|paused|resumed)/u;

/** Each fact once and without its time; those that a crash adds are left out. */
export function outcomeOf(facts: readonly string[]): readonly string[] {
  const timeless = facts.map((fact) => fact.replace(/^-?\d+ /u, "").replace(/ until (?:-|-?\d+)$/u, ""));
  return [...new Set(timeless)].filter((fact) => !REPEATED.test(fact)).toSorted();
}
