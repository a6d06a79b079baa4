// A posted start that another program wrote with an id beyond those that Segno gives (K12, JOURNAL-6).

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { append, batch, message } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

it.each(["1152921504606846976", String(2 ** 50)])(
  "JOURNAL-6 K12 a start with the id %s refuses nothing",
  async (id) => {
    const file = scratch.file();
    await (await openSqliteStore(file)).close();
    const database = new DatabaseSync(file);
    for (const execution of ["a", "b"])
      database.exec(`INSERT INTO inbox (id, execution, posted_at, body, is_start)
      VALUES (${id} + ${execution === "a" ? 0 : 1}, '${execution}', 0, '', 1)`);
    database.close();
    const store = await openSqliteStore(file);
    const posted = await store.post({ ...message("a", "pay"), isStart: true });
    expect((await store.poll()).messages).toMatchObject([{ id: posted, body: "pay", isStart: true }]);
    await store.commit(batch(append("b", 0), append("c", 0)));
    expect((await store.find({ limit: 5 })).executions.map((each) => each.id)).toEqual(["b", "c"]);
    await store.close();
  },
);
