// Who a store is, and whose.
//
//   Y1. A store has a random id from the moment it is made. Copies have the same one.
//   Y2. Whoever makes a store leaves the id's HMAC under their own key (`user-key.ts`) in it. A store without it, or with
//       another one, is foreign: another user made it, or it was made on another machine.

import { createHmac, randomUUID } from "node:crypto";
import { userKey } from "../user-key.ts";
import type { SqliteConnection } from "./connection.ts";

const SELECT = "SELECT value FROM meta WHERE key = ?";
const INSERT = "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)";
const REPLACE = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";

/** Empty where a store was made before there were ids. */
export function storeId(connection: SqliteConnection): string {
  return readMetaValue(connection, "id") ?? "";
}

export function isForeign(connection: SqliteConnection): boolean {
  const id = storeId(connection);
  const mark = signIdentity(id);
  return id === "" || mark === undefined || readMetaValue(connection, "creator") !== mark;
}

/** Makes it this user's; where no key can be kept it stays foreign. */
export function adopt(connection: SqliteConnection): void {
  const mark = signIdentity(storeId(connection));
  if (mark !== undefined) write(connection, REPLACE, "creator", mark);
}

/** In the transaction that makes the tables. */
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
  const row = connection.run(() => connection.database.prepare(SELECT).get(key)) as { value: string } | undefined;
  return row?.value;
}

function write(connection: SqliteConnection, sql: string, key: string, value: string): void {
  connection.run(() => connection.database.prepare(sql).run(key, value));
}
