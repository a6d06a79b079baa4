// Checks that a codec is the one that the store was written with (DATA-11).
//
// The store contains a probe: a known text, encoded by its codec. A codec that cannot decode the probe is refused
// before it reads or writes. Otherwise it would treat every journal as damaged and quarantine it, and would post
// messages that the owner cannot decode.

import { thrownMessage } from "@segno/kernel/thrown-text";
import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import type { SqliteConnection } from "./connection.ts";
import { readRow } from "./row-reading.ts";

const PROBE = "segno";
const SELECT = "SELECT value FROM meta WHERE key = 'codec'";
/** If two processes open a new store at once, the first one writes the probe. */
const INSERT = "INSERT OR IGNORE INTO meta (key, value) VALUES ('codec', ?)";

export function checkCodec(connection: SqliteConnection, codec: Codec): void {
  const probe = storedProbe(connection) ?? writeProbe(connection, codec);
  if (probe === undefined || isProbe(probe, codec)) return;
  throw new StoreFault(
    "STORE_CODEC",
    "the store was written with another codec, or without one; open it with the codec that wrote it",
  );
}

function storedProbe(connection: SqliteConnection): string | undefined {
  const row = connection.run(() => readRow(connection.database.prepare(SELECT)));
  if (row === undefined) return undefined;
  return typeof row["value"] === "string" ? row["value"] : "";
}

function writeProbe(connection: SqliteConnection, codec: Codec): string | undefined {
  if (connection.isReadOnly) return undefined;
  connection.run(() => connection.database.prepare(INSERT).run(encodeProbe(codec, PROBE)));
  return storedProbe(connection);
}

function isProbe(probe: string, codec: Codec): boolean {
  try {
    return codec.decode(probe) === PROBE;
  } catch {
    return false;
  }
}

/**
 * Decodes a body as SQLite returns it. Segno writes text only, so anything else is damage of that row, whatever the
 * codec: it reads as an empty text, which matches no hash.
 */
export function decodeText(body: unknown, codec: Codec): string {
  return typeof body === "string" ? codec.decode(body) : "";
}

/** A codec that fails now and then fails so often in a row in less than one of a million cases. */
const TRIES = 12;

/**
 * Decodes the body of a row. An exception of the codec proves nothing about the row: a key may be missing for a while, or the
 * codec may ask a service that does not answer. So it is a fault of the store, which is retried. Only a text that
 * was decoded and does not match its hash is damage.
 */
export function decodedBody(body: unknown, codec: Codec): string {
  for (let tries = 1; ; tries++) {
    try {
      return decodeText(body, codec);
    } catch (error) {
      if (tries === TRIES) throw codecFault("the codec cannot decode a row", error);
    }
  }
}

/** A codec that throws is a transient fault of the store and not a problem of the data (K7). */
export function faultingCodec(codec: Codec): Codec {
  return { encode: (body) => encodeProbe(codec, body), decode: (body) => codec.decode(body) };
}

function encodeProbe(codec: Codec, body: string): string {
  try {
    return codec.encode(body);
  } catch (error) {
    throw codecFault("the codec failed", error);
  }
}

function codecFault(what: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  return new StoreFault("STORE_CODEC", `${what}: ${thrownMessage(error)}`, { cause: error });
}
