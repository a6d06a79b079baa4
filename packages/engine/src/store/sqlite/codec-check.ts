// Whether a codec is the one that a store was written with (DATA-11).
//
// A store says something that everybody knows, as its codec writes it. Whoever cannot read that would take every journal for
// damaged and set it aside, and would post what its owner cannot read; so it is refused before it reads or writes anything.

import { thrownMessage } from "@segno/kernel/thrown-text";
import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import type { SqliteConnection } from "./connection.ts";

const PROBE = "segno";
const SELECT = "SELECT value FROM meta WHERE key = 'codec'";
/** Of two processes that open a new store at once, the first one says it. */
const INSERT = "INSERT OR IGNORE INTO meta (key, value) VALUES ('codec', ?)";

export function checkCodec(connection: SqliteConnection, codec: Codec): void {
  const said = storedProbe(connection) ?? writeProbe(connection, codec);
  if (said === undefined || isProbe(said, codec)) return;
  throw new StoreFault(
    "STORE_CODEC",
    "the store was written with another codec, or with none: this one cannot read it",
  );
}

function storedProbe(connection: SqliteConnection): string | undefined {
  const row = connection.run(() => connection.database.prepare(SELECT).get()) as { value: string } | undefined;
  return row?.value;
}

function writeProbe(connection: SqliteConnection, codec: Codec): string | undefined {
  if (connection.isReadOnly) return undefined;
  connection.run(() => connection.database.prepare(INSERT).run(encodeProbe(codec, PROBE)));
  return storedProbe(connection);
}

function isProbe(said: string, codec: Codec): boolean {
  try {
    return codec.decode(said) === PROBE;
  } catch {
    return false;
  }
}

/**
 * What a row says. A codec that cannot even read the mark fails for a reason of its own, which is a fault. Where it reads the
 * mark and not the row, the row was changed: it says nothing, and that is not what its hash says.
 */
export function decodedBody(body: string, connection: SqliteConnection, codec: Codec): string {
  try {
    return codec.decode(body);
  } catch {
    checkCodec(connection, codec);
    return "";
  }
}

/** A codec that fails at the moment is a trouble of the store, which passes, and not of what is being written (K7). */
export function faultingCodec(codec: Codec): Codec {
  return { encode: (body) => encodeProbe(codec, body), decode: (body) => codec.decode(body) };
}

function encodeProbe(codec: Codec, body: string): string {
  try {
    return codec.encode(body);
  } catch (error) {
    if (error instanceof StoreFault) throw error;
    throw new StoreFault("STORE_CODEC", `the codec failed: ${thrownMessage(error)}`, { cause: error });
  }
}
