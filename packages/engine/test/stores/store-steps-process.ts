// A store in a separate process. It executes one task per line, and answers each with a line. Unlike an engine
// (`engine-process.ts`) it does nothing in between, so the test controls the interleaving of several processes.

import { cpSync } from "node:fs";
import { dirname } from "node:path";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { answerLines } from "./answer-lines.ts";
import { append, batch, toId, message } from "./contract/sample.ts";

const [, , file = "", role = "own", writer = "main"] = process.argv;

/** The destination of a copy of the folder during the next post. */
let copyMeanwhileTo: string | undefined;

const copy = (to: string): void => cpSync(dirname(file), to, { recursive: true });

const ownership = new StoreOwnership(file);
const store = await openSqliteStore(file, {
  writer: writer === "thread" ? "thread" : "main",
  removesLog: () => ownership.hasOwned,
  codec: {
    encode(body) {
      if (copyMeanwhileTo !== undefined) copy(copyMeanwhileTo);
      copyMeanwhileTo = undefined;
      return body;
    },
    decode: (body) => body,
  },
});
if (role === "own") await ownership.tryOwn();

await answerLines({
  copy,
  copyMeanwhile: (to) => void (copyMeanwhileTo = to),
  commit: (after) => store.commit(batch(append("a", Number(after)))),
  post: (body) => store.post(message("a", body)),
  put: (key) => store.documents.put({ kind: "kept", key, body: "1" }, null),
  get: (key) => store.documents.get("kept", key),
  read: async () => (await store.load(toId("a")))?.kind,
  /** The check that an engine makes at every poll. */
  verify: async () => {
    await store.checkFiles();
    ownership.verify();
  },
  close: async () => {
    await store.close();
    ownership.release();
  },
});
