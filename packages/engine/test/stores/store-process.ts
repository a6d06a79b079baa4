// A separate process for the tests of several processes: it performs one operation on a store, and reports it line by
// line.

import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { append, batch, message } from "./contract/sample.ts";

const [, , task, file = "", argument = ""] = process.argv;
const print = (line: string | number): void => void process.stdout.write(`${line}\n`);

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  /** Owns the file until it is killed. */
  async own() {
    const ownership = new StoreOwnership(file);
    print((await ownership.tryOwn()) ? "owner" : "not owner");
    process.stdin.resume();
    // A lock without a reference would be garbage collected and released.
    process.once("exit", () => ownership.release());
  },
  async post() {
    const store = await openSqliteStore(file);
    for (let index = 0; index < Number(argument); index++) await store.post(message("a", `${process.pid} ${index}`));
    await store.close();
    print("posted");
  },
  /** Appends for ever and reports each sequence number after its commit, as an acknowledgement. */
  async append() {
    const store = await openSqliteStore(file);
    for (let after = Number(argument); ; after += 2) {
      await store.commit(batch(append("a", after), ...(after === 0 ? [] : [append("b", after - 2)])));
      print(after + 2);
    }
  },
  /** Records processes for ever, and reports their number. */
  async note() {
    const store = await openSqliteStore(file, { writer: argument === "thread" ? "thread" : "main" });
    for (let pid = 1; ; pid++) {
      await store.noteProcess({ marker: `m${pid}`, pid, startTime: `${pid}` });
      print(pid);
    }
  },
  /** Adds one to the number in a document for ever, whoever else does, and reports each number of its own. */
  async count() {
    const { documents } = await openSqliteStore(file, { writer: argument === "thread" ? "thread" : "main" });
    for (;;) {
      const body = (await documents.get("counter", "sum")) ?? null;
      const sum = Number(body ?? 0) + 1;
      try {
        await documents.put({ kind: "counter", key: "sum", body: String(sum) }, body);
        print(sum);
        // Without a pause, one process would change the document between every read and write of the others.
        await setTimeout(1);
      } catch (error) {
        if ((error as { code?: string }).code !== "DOCUMENT_CHANGED") throw error;
      }
    }
  },
  /** Commits on a writer thread, optionally closes the store, and then has nothing left to do. */
  async thread() {
    const store = await openSqliteStore(file, { writer: "thread" });
    await store.commit(batch(append("a", 0)));
    if (argument === "close") await store.close();
    print("done");
  },
};

await TASKS[task ?? ""]?.();
