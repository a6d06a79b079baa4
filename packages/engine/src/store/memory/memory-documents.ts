// Documents in memory. Bodies are encoded, as in a file, so that a codec is tested alike.

import { PLAIN, type Codec } from "../codec.ts";
import {
  documentChanged,
  DOCUMENTS_PAGE,
  type DocumentRange,
  type DocumentStore,
  type StoredDocument,
} from "../document-store.ts";

export class MemoryDocuments implements DocumentStore {
  readonly #codec: Codec;
  readonly #checkOpen: () => void;
  /** Encoded bodies by kind and key. */
  readonly #kinds = new Map<string, Map<string, string>>();

  /** `checkOpen` throws if the store is closed. */
  constructor(codec: Codec = PLAIN, checkOpen: () => void = () => undefined) {
    this.#codec = codec;
    this.#checkOpen = checkOpen;
  }

  async get(kind: string, key: string): Promise<string | undefined> {
    this.#checkOpen();
    return this.#find(kind, key);
  }

  async list(kind: string, { after, limit = DOCUMENTS_PAGE }: DocumentRange = {}): Promise<readonly StoredDocument[]> {
    this.#checkOpen();
    return [...(this.#kinds.get(kind)?.keys() ?? [])]
      .filter((key) => after === undefined || compareKeys(key, after) > 0)
      .toSorted(compareKeys)
      .slice(0, limit)
      .map((key) => ({ kind, key, body: this.#find(kind, key)! }));
  }

  async put(document: StoredDocument, expected?: string | null): Promise<void> {
    this.#checkOpen();
    const { kind, key, body } = document;
    const stored = this.#find(kind, key) ?? null;
    if (expected !== undefined && expected !== stored) throw documentChanged(document);
    const encoded = this.#codec.encode(body);
    const documents = this.#kinds.get(kind) ?? new Map<string, string>();
    this.#kinds.set(kind, documents.set(key, encoded));
  }

  async remove(kind: string, key: string): Promise<boolean> {
    this.#checkOpen();
    const documents = this.#kinds.get(kind);
    const isRemoved = documents?.delete(key) === true;
    if (documents?.size === 0) this.#kinds.delete(kind);
    return isRemoved;
  }

  #find(kind: string, key: string): string | undefined {
    const encoded = this.#kinds.get(kind)?.get(key);
    return encoded === undefined ? undefined : this.#codec.decode(encoded);
  }
}

/** JavaScript compares texts by their UTF-16 units, in which some code points have another order (D4). */
function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
