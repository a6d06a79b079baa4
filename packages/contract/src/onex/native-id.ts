// The ids that steps of an ONEX contract have as steps of a definition: readable, unique, and always the same for the same
// list of steps. Names may repeat and are never identity (GRAPH-7): the step's UUID is, and it goes on in the input.
//
//   N1. An id is made of the name: `Fetch Data` is `fetch_data`. What no letter or digit is left of is `step`.
//   N2. Where an id is taken, the next number makes it unique, in the order of declaration: `load`, `load_2`, `load_3`.

import { isForbiddenKey, stepId, type StepId } from "@segno/kernel";

/** Leaves room for a number below the 128 characters that an id may have. */
const BASE_MAX = 100;

export function nativeIds(names: readonly string[]): readonly StepId[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    const base = toBaseId(name);
    let id = base;
    let number = next.get(base) ?? 2;
    while (taken.has(id)) id = `${base}_${number++}`;
    next.set(base, number);
    taken.add(id);
    return stepId(id);
  });
}

function toBaseId(name: string): string {
  const word = toWord(name).toLowerCase();
  if (word === "") return "step";
  return /^\d/u.test(word) || isForbiddenKey(word) ? `step_${word}` : word;
}

/** A workflow's name may have digits in front, dots, and capital letters. */
export function nativeName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/u.test(name)) return name;
  const word = toWord(name);
  return word === "" ? "workflow" : word;
}

/** Letters lose their marks, and what is neither letter nor digit becomes an underscore. */
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
