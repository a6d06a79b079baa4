// The documents of a SQLite store: encodes and decodes bodies, and compares the stored body with the expected one (D5).

import type { Codec } from "../codec.ts";
import {
  documentChanged,
  documentName,
  DOCUMENTS_PAGE,
  type DocumentRange,
  type DocumentStore,
  type StoredDocument,
} from "../document-store.ts";
import { StoreFault } from "../store-fault.ts";
import { decodedBody } from "./codec-check.ts";
import type { DocumentRows, DocumentWrite } from "./document-rows.ts";

/** The access of a store to its table of documents. */
export interface DocumentAccess {
  read<Result>(work: (rows: DocumentRows) => Result): Promise<Result>;
  /** Resolves when the write is durable. False if it had no effect. */
  write(request: DocumentWrite): Promise<boolean>;
}

export class SqliteDocuments implements DocumentStore {
  readonly #codec: Codec;
  readonly #access: DocumentAccess;

  constructor(codec: Codec, access: DocumentAccess) {
    this.#codec = codec;
    this.#access = access;
  }

  async get(kind: string, key: string): Promise<string | undefined> {
    const row = await this.#access.read((rows) => rows.get(kind, key));
    return row === undefined ? undefined : this.#decoded(row).body;
  }

  async list(kind: string, { after, limit = DOCUMENTS_PAGE }: DocumentRange = {}): Promise<readonly StoredDocument[]> {
    const page = await this.#access.read((rows) => rows.list(kind, after, limit));
    return page.map((row) => this.#decoded(row));
  }

  async put(document: StoredDocument, expected?: string | null): Promise<void> {
    const { kind, key, body } = document;
    const stored = typeof expected === "string" ? await this.#storedBody(document, expected) : expected;
    const request = { kind: "put-document", document: { kind, key, body: this.#codec.encode(body) } } as const;
    const hasEffect = await this.#access.write(stored === undefined ? request : { ...request, expected: stored });
    if (!hasEffect) throw documentChanged(document);
  }

  async remove(kind: string, key: string): Promise<boolean> {
    return this.#access.write({ kind: "remove-document", document: { kind, key } });
  }

  /** The stored body of a document, encoded, if the codec decodes it to the expected one. */
  async #storedBody(document: StoredDocument, expected: string): Promise<string> {
    const row = await this.#access.read((rows) => rows.get(document.kind, document.key));
    if (row === undefined || this.#decoded(row).body !== expected) throw documentChanged(document);
    return row.body;
  }

  /** The fault names the document, so that a program can replace or remove one that stays unreadable. */
  #decoded({ kind, key, body }: StoredDocument): StoredDocument {
    try {
      return { kind, key, body: decodedBody(body, this.#codec) };
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      throw new StoreFault(error.code, `${documentName({ kind, key })}: ${error.message}`, { cause: error });
    }
  }
}
