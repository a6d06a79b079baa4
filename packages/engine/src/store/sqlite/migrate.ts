// Migrations: numbered, forward only, with checksums.
//
//   G1. A store records the migrations that created it, with their checksums. A store whose recorded migration differs
//       is refused.
//   G2. A store of a newer Segno is refused before any other read or write.
//   G3. All missing migrations are one transaction. If two processes open an old store, one migrates and the other
//       waits.
//   G4. A store contains exactly the objects that its migrations create (`schema.ts`).

import crypto from "node:crypto";
import { StoreFault } from "../store-fault.ts";
import { APPLICATION_ID, type SqliteConnection } from "./connection.ts";
import { readRows } from "./row-reading.ts";
import { checkSchema } from "./schema.ts";

const HAS_META = "SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table' AND name = 'meta'";
const SELECT_APPLIED = "SELECT key, value FROM meta WHERE key LIKE 'migration-%'";
const RECORD = "INSERT INTO meta (key, value) VALUES (?, ?)";

/** `created` is called in the transaction that creates the first tables. */
export function migrate(
  connection: SqliteConnection,
  migrations: readonly string[],
  created: () => void = () => undefined,
): void {
  if (connection.snapshot(() => missing(connection, migrations)).length === 0) return;
  if (connection.isReadOnly)
    throw new StoreFault("STORE_VERSION", "an older Segno created the store; open it for writing once, to migrate it");
  connection.transact(() => {
    const versions = missing(connection, migrations);
    for (const version of versions) apply(connection, version, migrations[version - 1]!);
    if (versions[0] === 1) created();
    connection.database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/**
 * Checks the migrations that the store has, and returns the missing versions. The caller must be in a transaction,
 * because another process may be migrating the store.
 */
function missing(connection: SqliteConnection, migrations: readonly string[]): number[] {
  const applied = appliedMigrations(connection);
  const newest = Math.max(0, ...applied.keys());
  if (newest > migrations.length)
    throw new StoreFault(
      "STORE_VERSION",
      `the store has version ${newest}, but this Segno supports up to ${migrations.length}; upgrade Segno`,
    );
  const versions = migrations.map((_, index) => index + 1);
  for (const version of versions) check(version, applied.get(version), migrations[version - 1]!);
  checkSchema(connection.database, migrations.slice(0, applied.size));
  return versions.filter((version) => !applied.has(version));
}

/** False for a file without tables. */
export function hasTables(connection: SqliteConnection): boolean {
  const { count } = connection.run(() => connection.database.prepare(HAS_META).get()) as { count: number };
  return count > 0;
}

function appliedMigrations(connection: SqliteConnection): ReadonlyMap<number, string> {
  if (!hasTables(connection)) return new Map<number, string>();
  return connection.run(() => {
    const rows = readRows(connection.database.prepare(SELECT_APPLIED)) as { key: string; value: string }[];
    return new Map(rows.map(({ key, value }) => [Number(key.slice("migration-".length)), value]));
  });
}

function check(version: number, recorded: string | undefined, sql: string): void {
  if (recorded === undefined || recorded === checksum(sql)) return;
  throw new StoreFault("STORE_CORRUPT", `the store's migration ${version} differs from the one of this Segno`);
}

function apply(connection: SqliteConnection, version: number, sql: string): void {
  connection.database.exec(sql);
  connection.database.prepare(RECORD).run(`migration-${version}`, checksum(sql));
}

function checksum(sql: string): string {
  return crypto.hash("sha256", sql, "hex");
}
