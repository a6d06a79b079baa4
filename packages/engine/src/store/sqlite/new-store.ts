// Creates a store under a temporary name, so that a killed process leaves no incomplete store.
//
//   Z1. A file with a store's name has all its tables from the start. Segno did not create a file without them.
//   Z2. If two processes create the same store, one publishes its file, and the other opens that file.
//   Z3. A write-ahead log without its database belongs to another store. SQLite would apply it to the new store, so the
//       creation is refused until the user decides about the log.

import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import { WholeFile } from "../whole-file.ts";
import { checkCodec } from "./codec-check.ts";
import { openConnection, type ConnectionOptions } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { makeFolder } from "./private-file.ts";
import { toStoreFault } from "./sqlite-fault.ts";
import { findLeftLog } from "./left-log.ts";
import { recordCreation } from "./store-identity.ts";

/** Creates the store in `file`, with its parent folders, if the file does not exist. */
export function ensureStore(file: string, codec: Codec, options: ConnectionOptions): void {
  try {
    if (exists(file)) return;
    makeFolder(dirname(file));
    checkRests(file);
    makeStore(file, codec, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw toStoreFault(error);
  }
}

/** A dangling link counts as an existing file. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

function checkRests(file: string): void {
  const rest = findLeftLog(file);
  if (rest === undefined || existsSync(file)) return;
  const problem = `${rest} exists without ${file}: it has the last writes to that file`;
  throw new StoreFault("STORE_CORRUPT", `${problem}; move that file back, or remove this one as well`);
}

function makeStore(file: string, codec: Codec, options: ConnectionOptions): void {
  const whole = new WholeFile(file);
  try {
    const connection = openConnection(whole.partial, { ...options, isNew: true });
    try {
      migrate(connection, MIGRATIONS, () => recordCreation(connection));
      checkCodec(connection, codec);
    } finally {
      connection.close();
    }
    whole.publish();
  } finally {
    whole.discard();
  }
}
