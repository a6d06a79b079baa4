// A snapshot of a SQLite file, which backups and checks read.

import type { FrozenStore, OrphanedRows } from "../backup.ts";
import type { Codec } from "../codec.ts";
import type { StoredDocument } from "../document-store.ts";
import { checkCodec, decodedBody } from "./codec-check.ts";
import type { SqliteConnection } from "./connection.ts";
import { DocumentRows } from "./document-rows.ts";
import { JournalTail } from "./journal-tail.ts";
import { joinLockGroup, leaveLockGroup } from "./lock-group.ts";
import { orphanedRows } from "./orphaned-rows.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** A snapshot of the file, held by its own connection. It ends when the process must take its locks again. */
class FrozenSqliteStore extends SqliteStore implements FrozenStore {
  readonly #connection: SqliteConnection;
  readonly #codec: Codec;
  readonly #file: string | undefined;

  constructor(connection: SqliteConnection, codec: Codec, file: string | undefined) {
    super(connection, { codec });
    this.#connection = connection;
    this.#codec = codec;
    this.#file = file;
    if (file !== undefined) joinLockGroup(file, this);
  }

  async orphans(rows: number): Promise<readonly OrphanedRows[]> {
    return orphanedRows(this.#connection, rows);
  }

  async markProblem(): Promise<string | undefined> {
    return this.#connection.snapshot(() => new JournalTail(this.#connection).markProblem());
  }

  async damagedDocuments(): ReturnType<FrozenStore["damagedDocuments"]> {
    return this.#connection.run(() => {
      const damaged: Pick<StoredDocument, "kind" | "key">[] = [];
      for (const { kind, key, body } of new DocumentRows(this.#connection).all())
        if (!this.#isJson(body)) damaged.push({ kind, key });
      return damaged;
    });
  }

  /** A body that the codec cannot decode is damaged, unless the codec fails altogether. */
  #isJson(body: string): boolean {
    let text = "";
    try {
      text = decodedBody(body, this.#codec);
    } catch {
      checkCodec(this.#connection, this.#codec);
    }
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  override relock(): void {
    // The snapshot no longer exists.
  }

  override close(): Promise<void> {
    if (this.#file !== undefined) leaveLockGroup(this.#file, this);
    return super.close();
  }
}

export function frozenStore(connection: SqliteConnection, codec: Codec, file: string | undefined): FrozenStore {
  try {
    connection.freeze();
    return new FrozenSqliteStore(connection, codec, file);
  } catch (error) {
    connection.close();
    throw error;
  }
}
