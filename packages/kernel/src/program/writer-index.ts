// Writers by the path that they write, as a tree of keys: finds the writers of a given path.
//
//   W1. A write is read if one path is an ancestor of the other or equal to it (DATA-3).
//   W2. Paths with the same writers give the same list, by identity, so that queries about them are answered together.
//   W3. All lists together hold each writer at most once for each key of its path.

import type { VariablePath } from "../data/variable-path.ts";
import type { MergeMode } from "../model/definition.ts";
import type { Writer } from "./program.ts";

interface WriterBranch {
  readonly children: Map<string, WriterBranch>;
  /** Steps that write exactly this path. */
  readonly own: number[];
  /** Steps whose writes are read at this path. */
  whole?: readonly number[];
  /** Steps whose writes are read at a path below this one that no step writes. */
  above?: readonly number[];
  /** Steps whose writes are read at this path, but that write another one. */
  relatives?: readonly number[];
}

export class WriterIndex {
  readonly #root: WriterBranch = branch();

  /** Private writes are left out: only the writer sees them (DATA-4). */
  constructor(writers: readonly Writer[], ...modes: readonly MergeMode[]) {
    for (const { step, path, merge, isPrivate } of writers)
      if (!isPrivate && (modes.length === 0 || modes.includes(merge))) this.#add(path, step);
  }

  /** The steps that write the value at this path. */
  findWriters(path: VariablePath): readonly number[] {
    const above: number[][] = [];
    let current = this.#root;
    for (const key of path) {
      above.push(current.own);
      const child = current.children.get(key);
      if (child === undefined) return (current.above ??= above.flat());
      current = child;
    }
    return (current.whole ??= [...above.flat(), ...stepsBelow(current)]);
  }

  /** The steps that write an ancestor or a descendant of this path. Another step writes the path itself. */
  writersElsewhere(path: VariablePath): readonly number[] {
    const above: number[][] = [];
    let current = this.#root;
    for (const key of path) {
      above.push(current.own);
      current = current.children.get(key)!;
    }
    return (current.relatives ??= [...above.flat(), ...[...current.children.values()].flatMap(stepsBelow)]);
  }

  #add(path: VariablePath, step: number): void {
    let current = this.#root;
    for (const key of path) {
      let child = current.children.get(key);
      if (child === undefined) current.children.set(key, (child = branch()));
      current = child;
    }
    current.own.push(step);
  }
}

function branch(): WriterBranch {
  return { children: new Map(), own: [] };
}

/** All writes at a path and below it, with an explicit stack. */
function stepsBelow(top: WriterBranch): readonly number[] {
  const steps: number[] = [];
  const open = [top];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const step of next.own) steps.push(step);
    for (const child of next.children.values()) open.push(child);
  }
  return steps;
}
