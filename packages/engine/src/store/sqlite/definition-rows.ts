// The table of definitions. A definition is stored once, by its hash, and never removed.
//
// A damaged definition would damage every later execution of the same workflow as well. So a start, which has the true
// text, restores it.

import type { StatementSync } from "node:sqlite";
import type { Codec } from "../codec.ts";
import type { Content } from "../store.ts";
import { decodeText } from "./codec-check.ts";
import type { SqliteConnection } from "./connection.ts";

const INSERT = "INSERT OR IGNORE INTO definitions (hash, body) VALUES (?, ?)";
const SELECT = "SELECT body FROM definitions WHERE hash = ?";
const UPDATE = "UPDATE definitions SET body = ? WHERE hash = ?";

export class DefinitionRows {
  readonly #connection: SqliteConnection;
  readonly #codec: Codec;
  readonly #insert: StatementSync;

  constructor(connection: SqliteConnection, codec: Codec) {
    this.#connection = connection;
    this.#codec = codec;
    this.#insert = connection.prepare(INSERT);
  }

  /** The caller must be in a transaction. */
  write({ hash, body }: Content): void {
    const text = this.#codec.encode(body);
    if (this.#insert.run(hash, text).changes === 1) return;
    const { database } = this.#connection;
    const stored = database.prepare(SELECT).get(hash)?.["body"];
    if (!this.#isStored(stored, body)) database.prepare(UPDATE).run(text, hash);
  }

  /** A text that the codec cannot decode now is written again, in the same meaning. */
  #isStored(stored: unknown, body: string): boolean {
    try {
      return decodeText(stored, this.#codec) === body;
    } catch {
      return false;
    }
  }
}
