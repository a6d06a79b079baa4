// The table of documents (`document-store.ts`). It has encoded bodies.
//
//   D5. A codec may encode a body differently each time, and it cannot run on the writer thread. So the caller decodes
//       the stored body and compares, and the write compares the encoded body that the caller has read.
//   D6. A body that is removed or replaced is overwritten in the database, because it may have been a secret. The log may
//       have a copy until SQLite writes the log from its start again. A process that does not own the store must not
//       empty the log: the owner may have lost its locks (Q4).

import type { StatementSync } from "node:sqlite";
import type { StoredDocument } from "../document-store.ts";
import type { SqliteConnection } from "./connection.ts";

const SELECT_ONE = "SELECT kind, key, body FROM documents WHERE kind = ? AND key = ?";
const SELECT_PAGE = "SELECT kind, key, body FROM documents WHERE kind = ? ORDER BY key LIMIT ?";
const SELECT_NEXT_PAGE = "SELECT kind, key, body FROM documents WHERE kind = ? AND key > ? ORDER BY key LIMIT ?";
const SELECT_ALL = "SELECT kind, key, body FROM documents";
const PUT = "INSERT OR REPLACE INTO documents (kind, key, body) VALUES (?, ?, ?)";
const CREATE = "INSERT OR IGNORE INTO documents (kind, key, body) VALUES (?, ?, ?)";
const REPLACE = "UPDATE documents SET body = ? WHERE kind = ? AND key = ? AND body = ?";
const REMOVE = "DELETE FROM documents WHERE kind = ? AND key = ?";

/** Bodies are encoded. `expected` is the stored body, or null if the document must not exist. */
export type DocumentWrite =
  | { readonly kind: "put-document"; readonly document: StoredDocument; readonly expected?: string | null }
  | { readonly kind: "remove-document"; readonly document: Pick<StoredDocument, "kind" | "key"> };

export class DocumentRows {
  readonly #connection: SqliteConnection;
  /** Statements are prepared on first use: most programs have no documents. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  get(kind: string, key: string): StoredDocument | undefined {
    return this.#connection.run(() => this.#statement(SELECT_ONE).get(kind, key)) as StoredDocument | undefined;
  }

  list(kind: string, after: string | undefined, limit: number): readonly StoredDocument[] {
    return this.#connection.run(() =>
      after === undefined
        ? this.#statement(SELECT_PAGE).all(kind, limit)
        : this.#statement(SELECT_NEXT_PAGE).all(kind, after, limit),
    ) as unknown as readonly StoredDocument[];
  }

  /** All documents, one at a time: together they may be larger than the memory. */
  all(): Iterable<StoredDocument> {
    return this.#connection.run(() => this.#statement(SELECT_ALL).iterate()) as unknown as Iterable<StoredDocument>;
  }

  /** False if the write had no effect, because the stored document is not the expected one or there is none. */
  write(write: DocumentWrite): boolean {
    this.#connection.execute("PRAGMA secure_delete = ON");
    try {
      return this.#connection.run(() => this.#change(write)) > 0;
    } finally {
      this.#connection.execute("PRAGMA secure_delete = OFF");
    }
  }

  /** Every write is one statement, which SQLite runs as one transaction. */
  #change(write: DocumentWrite): number {
    const { kind, key } = write.document;
    if (write.kind === "remove-document") return Number(this.#statement(REMOVE).run(kind, key).changes);
    const { document, expected } = write;
    if (typeof expected === "string")
      return Number(this.#statement(REPLACE).run(document.body, kind, key, expected).changes);
    return Number(this.#statement(expected === null ? CREATE : PUT).run(kind, key, document.body).changes);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#connection.database.prepare(sql)));
    return statement;
  }
}
