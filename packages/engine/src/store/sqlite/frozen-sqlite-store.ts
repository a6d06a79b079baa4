// A snapshot of a SQLite file, which backups and checks read.

import type { FrozenStore, OrphanedRows } from "../backup.ts";
import type { Codec } from "../codec.ts";
import { decodedBody } from "./codec-check.ts";
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
      const rows = Iterator.from(new DocumentRows(this.#connection).all());
      return [
        ...rows.filter(({ body }) => !isJson(decodedBody(body, this.#codec))).map(({ kind, key }) => ({ kind, key })),
      ];
    });
  }

  override relock(): void {
    // The snapshot no longer exists.
  }

  override close(): Promise<void> {
    if (this.#file !== undefined) leaveLockGroup(this.#file, this);
    return super.close();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
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
