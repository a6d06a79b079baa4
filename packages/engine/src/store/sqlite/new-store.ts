// A new store: it is made whole under another name, so that a process that is killed leaves nothing that looks like one.
//
//   Z1. A file under a store's name has all its tables, from the moment that it is there. One that has not was not made here.
//   Z2. Of two processes that make the same store, one gives it its name; the other opens that one.
//   Z3. A log of writes without its file is the rest of another store. SQLite would write it into the new one, so it is
//       refused: whoever knows where the file went has to say what becomes of it.

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

/** Makes the store in `file`, with its folders, when it is not there. */
export function ensureStore(file: string, codec: Codec, options: ConnectionOptions): void {
  try {
    if (isThere(file)) return;
    makeFolder(dirname(file));
    checkRests(file);
    makeStore(file, codec, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw toStoreFault(error);
  }
}

/** Also a link that leads nowhere is there. */
function isThere(file: string): boolean {
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
  const what = `${rest} is there without ${file}: it holds what was last written to it`;
  throw new StoreFault("STORE_CORRUPT", `${what}; put the file back, or remove this one as well`);
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
