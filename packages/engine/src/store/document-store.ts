// Documents: small data of programs beside the journals, such as the tokens of a server.
//
//   D1. A document is found by its kind and its key, and belongs to no execution. Export and import leave it out, a
//       backup has it.
//   D2. A write compares and changes in one step, so two processes that read the same body cannot both replace it.
//   D3. Any process may write documents, also one that does not own the store.
//   D4. Keys are in order of their code points, which is the order of their UTF-8 bytes.

import { SegnoError } from "@segno/kernel";

/** A document in a store. */
export interface StoredDocument {
  /** The kind of the document, for example `token`. It is a name (K10). */
  readonly kind: string;
  /** The key of the document, unique within its kind. It is a name (K10). */
  readonly key: string;
  /** JSON text of at most 10 MB. */
  readonly body: string;
}

/** A page of the documents of one kind. */
export interface DocumentRange {
  /** Only documents whose key comes after this one. */
  readonly after?: string;
  /** The maximum number of documents, from 1 to 1000. The default is 100. */
  readonly limit?: number;
}

/** The documents of a store (K14). */
export interface DocumentStore {
  /** The body of the document with this key; undefined if there is none. */
  get(kind: string, key: string): Promise<string | undefined>;
  /** The documents of a kind in order of their keys. A page with fewer documents than its limit is the last one. */
  list(kind: string, range?: DocumentRange): Promise<readonly StoredDocument[]>;
  /**
   * Stores a document. `expected` is the body that the caller has read, or null if the document must not exist; another
   * stored body rejects with `DOCUMENT_CHANGED`. Without `expected` the document replaces any other one.
   */
  put(document: StoredDocument, expected?: string | null): Promise<void>;
  /** Removes a document. False if there is none, so of several callers that remove the same document one gets true. */
  remove(kind: string, key: string): Promise<boolean>;
}

/** The number of documents on a page without a limit. */
export const DOCUMENTS_PAGE = 100;

/** The error for a document that is not as the caller has read it. A store rejects with it (K14). */
export function documentChanged({ kind, key }: Pick<StoredDocument, "kind" | "key">): SegnoError {
  const problem = "is not the one that was read; read it again";
  return new SegnoError("DOCUMENT_CHANGED", `${documentName({ kind, key })} ${problem}`);
}

/** The document in a message. */
export function documentName({ kind, key }: Pick<StoredDocument, "kind" | "key">): string {
  return `the document ${JSON.stringify(key)} of kind ${JSON.stringify(kind)}`;
}
