import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { SqliteStoreOptions } from "../../src/store/sqlite/sqlite-store-parts.ts";
import type { Subject } from "./contract/claim.ts";
import { storeContract } from "./contract/store-contract.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

async function subject(options: SqliteStoreOptions): Promise<Subject> {
  const file = scratch.file();
  const open = async (): ReturnType<typeof openSqliteStore> => scratch.closing(await openSqliteStore(file, options));
  return { store: await open(), second: open };
}

storeContract("SQLite store, full durability", (options) => subject({ ...options }));
storeContract("SQLite store, relaxed", (options) => subject({ ...options, durability: "relaxed" }));
storeContract("SQLite store, writer thread", (options) => subject({ ...options, writer: "thread" }));
