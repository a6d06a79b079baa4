// Read-only paths (DATA-4) as a tree of keys: whether a write would change one of them.

import type { VariablePath } from "../data/variable-path.ts";

interface ReadOnlyBranch {
  readonly children: Map<string, ReadOnlyBranch>;
  /** The path that ends here, or the first one that was declared below. */
  first: VariablePath;
  isEnd: boolean;
}

export class ReadOnlyPaths {
  readonly #root: ReadOnlyBranch = { children: new Map(), first: [], isEnd: false };
  readonly #isEmpty: boolean;

  constructor(paths: readonly VariablePath[]) {
    this.#isEmpty = paths.length === 0;
    for (const path of paths) this.#add(path);
  }

  /**
   * A read-only path that a write would change: an ancestor or, unless objects are merged, a descendant of the written path.
   */
  closing(path: VariablePath, isMerge: boolean): VariablePath | undefined {
    if (this.#isEmpty) return undefined;
    let current = this.#root;
    for (const key of path) {
      if (current.isEnd) return current.first;
      const child = current.children.get(key);
      if (child === undefined) return undefined;
      current = child;
    }
    return current.isEnd || !isMerge ? current.first : undefined;
  }

  #add(path: VariablePath): void {
    let current = this.#root;
    for (const key of path) {
      let child = current.children.get(key);
      if (child === undefined) current.children.set(key, (child = { children: new Map(), first: path, isEnd: false }));
      current = child;
    }
    current.isEnd = true;
    current.first = path;
  }
}
