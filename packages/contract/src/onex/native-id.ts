// Derives the ids that the steps of an ONEX contract get in a definition: readable, unique, and the same for the same list of
// steps. Names may repeat and are not an identity (GRAPH-7): the UUID of a step is, and the step's input contains it.
//
//   N1. The id is derived from the name: `Fetch Data` becomes `fetch_data`. A name without a letter or digit becomes `step`.
//   N2. If an id is taken, the next number makes it unique, in declaration order: `load`, `load_2`, `load_3`.

import { isForbiddenKey, stepId, type StepId } from "@segno/kernel";

/** Leaves room for a number within the 128 characters that an id may have. */
const BASE_MAX = 100;

export function nativeIds(names: readonly string[]): readonly StepId[] {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    const base = toBaseId(name);
    let id = base;
    let number = next.get(base) ?? 2;
    while (used.has(id)) id = `${base}_${number++}`;
    next.set(base, number);
    used.add(id);
    return stepId(id);
  });
}

function toBaseId(name: string): string {
  const word = toWord(name).toLowerCase();
  if (word === "") return "step";
  return /^\d/u.test(word) || isForbiddenKey(word) ? `step_${word}` : word;
}

/** The name of a workflow may begin with digits and may have dots and capital letters. */
export function nativeName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/u.test(name)) return name;
  const word = toWord(name);
  return word === "" ? "workflow" : word;
}

/** Removes the marks of letters, and replaces each character that is neither letter nor digit by an underscore. */
function toWord(name: string): string {
  const plain = name
    .slice(0, 4 * BASE_MAX)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "");
  return plain
    .replaceAll(/[^A-Za-z0-9]+/gu, "_")
    .replaceAll(/^_|_$/gu, "")
    .slice(0, BASE_MAX);
}
