// The values of an execution that are in memory: the kernel reads them, and values that it lacks are loaded into them.

import type { ContentHash, Json, World } from "@segno/kernel";

export class ExecutionValues implements World {
  readonly check: World["check"];
  readonly #values = new Map<ContentHash, Json>();

  constructor(check: World["check"]) {
    this.check = check;
  }

  value(hash: ContentHash): Json | undefined {
    return this.#values.get(hash);
  }

  has(hash: ContentHash): boolean {
    return this.#values.has(hash);
  }

  add(hash: ContentHash, value: Json): void {
    this.#values.set(hash, value);
  }
}
