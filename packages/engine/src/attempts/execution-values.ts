// The values of an execution that are in memory: the kernel reads them, and values that it lacks are loaded into them.

import type { ContentHash, Json, StoredValues } from "@segno/kernel";

export class ExecutionValues implements StoredValues {
  readonly checkSchema: StoredValues["checkSchema"];
  readonly #values = new Map<ContentHash, Json>();

  constructor(checkSchema: StoredValues["checkSchema"]) {
    this.checkSchema = checkSchema;
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
