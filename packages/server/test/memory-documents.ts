import type { TokenDocuments } from "../src/index.ts";

/** Documents in memory, for tests whose tokens need no file. */
export class MemoryDocuments implements TokenDocuments {
  readonly #bodies = new Map<string, string>();

  async get(kind: string, key: string): Promise<string | undefined> {
    return this.#bodies.get(`${kind} ${key}`);
  }

  async list(kind: string): Promise<readonly string[]> {
    return [...this.#bodies].filter(([key]) => key.startsWith(`${kind} `)).map(([, body]) => body);
  }

  async put({ kind, key, body }: { kind: string; key: string; body: string }): Promise<void> {
    this.#bodies.set(`${kind} ${key}`, body);
  }

  async remove(kind: string, key: string): Promise<void> {
    this.#bodies.delete(`${kind} ${key}`);
  }
}
