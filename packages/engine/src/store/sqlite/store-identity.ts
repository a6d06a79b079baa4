// The identity and the origin of a store.
//
//   Y1. A new store gets a random id. Copies have the same id.
//   Y2. The creator of a store writes the id's HMAC under their own key (`user-key.ts`) into it. A store without it, or
//       with a different one, is foreign: another user or another machine created it.

import { createHmac, randomUUID } from "node:crypto";
import { userKey } from "../user-key.ts";
import type { SqliteConnection } from "./connection.ts";
import { readRow } from "./row-reading.ts";

const SELECT = "SELECT value FROM meta WHERE key = ?";
const INSERT = "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)";
const REPLACE = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";

/** Empty for a store that was created before stores had ids. */
export function storeId(connection: SqliteConnection): string {
  return readMetaValue(connection, "id") ?? "";
}

export function isForeign(connection: SqliteConnection): boolean {
  const id = storeId(connection);
  const mark = signIdentity(id);
  return id === "" || mark === undefined || readMetaValue(connection, "creator") !== mark;
}

/** Marks the store as this user's. Without a user key it stays foreign. */
export function adopt(connection: SqliteConnection): void {
  const mark = signIdentity(storeId(connection));
  if (mark !== undefined) write(connection, REPLACE, "creator", mark);
}

/** Runs in the transaction that creates the tables. */
export function recordCreation(connection: SqliteConnection): void {
  const id = randomUUID();
  write(connection, INSERT, "id", id);
  const mark = signIdentity(id);
  if (mark !== undefined) write(connection, INSERT, "creator", mark);
}

function signIdentity(id: string): string | undefined {
  const key = userKey();
  return key === undefined ? undefined : createHmac("sha256", key).update(`store ${id}`).digest("hex");
}

function readMetaValue(connection: SqliteConnection, key: string): string | undefined {
  const value = connection.run(() => readRow(connection.database.prepare(SELECT), key))?.["value"];
  return typeof value === "string" ? value : undefined;
}

function write(connection: SqliteConnection, sql: string, key: string, value: string): void {
  connection.run(() => connection.database.prepare(sql).run(key, value));
}
