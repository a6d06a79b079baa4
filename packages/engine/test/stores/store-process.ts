// A process of its own for the tests of several processes: it does one thing with a store and says so, a line at a time.

import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { append, batch, message } from "./contract/sample.ts";

const [, , task, file = "", argument = ""] = process.argv;
const say = (line: string | number): void => void process.stdout.write(`${line}\n`);

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  /** Owns the file until it is killed. */
  async own() {
    const ownership = new StoreOwnership(file);
    say((await ownership.tryOwn()) ? "owner" : "not owner");
    process.stdin.resume();
    // A lock that nobody holds any more is collected, and free then.
    process.once("exit", () => ownership.release());
  },
  async post() {
    const store = await openSqliteStore(file);
    for (let index = 0; index < Number(argument); index++) await store.post(message("a", `${process.pid} ${index}`));
    await store.close();
    say("posted");
  },
  /** Appends for ever and says each time how far it is; an acknowledgement is what was said after the commit. */
  async append() {
    const store = await openSqliteStore(file);
    for (let after = Number(argument); ; after += 2) {
      await store.commit(batch(append("a", after), ...(after === 0 ? [] : [append("b", after - 2)])));
      say(after + 2);
    }
  },
  /** Notes processes for ever and says how many. */
  async note() {
    const store = await openSqliteStore(file, { writer: argument === "thread" ? "thread" : "main" });
    for (let pid = 1; ; pid++) {
      await store.noteProcess({ marker: `m${pid}`, pid, startTime: `${pid}` });
      say(pid);
    }
  },
  /** Commits on a writer thread, closes the store if it is told to, and has nothing more to do. */
  async thread() {
    const store = await openSqliteStore(file, { writer: "thread" });
    await store.commit(batch(append("a", 0)));
    if (argument === "close") await store.close();
    say("done");
  },
};

await TASKS[task ?? ""]?.();
