import { copyFileSync, existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { executionId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrations/migrations.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { refusal } from "../stores/contract/claim.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import {
  DOCUMENT,
  readContent,
  IMPORTED,
  LEFT_RUNNING,
  LOGGED,
  LOGS,
  POSTED,
  withDatabase,
} from "./golden-database.ts";
import { CHANGED, databaseFile, journalFile, keptFolders, NEXT, readGolden } from "./golden-files.ts";
import { journalText, readFolded } from "./golden-journal.ts";
import { closingAgents, OPEN_DEFINITIONS, OPEN_WORKFLOWS } from "./open-workflows.ts";
import { GoldenFixture } from "./fixture.ts";

const scratch = scratchFolder();
/** At most one database per release. */
const KEPT_DATABASES = keptFolders()
  .map((folder) => ({ release: basename(folder), file: databaseFile(folder) }))
  .filter(({ file }) => existsSync(file));
const HOUR_MS = 3_600_000;

/** Golden files are never opened in place, because opening one for writing changes it. */
function copied(file: string): string {
  const copy = scratch.file();
  copyFileSync(file, copy);
  return copy;
}

async function opened(file: string): Promise<SqliteStore> {
  return scratch.closing(await openSqliteStore(copied(file)));
}

async function statusesIn(store: SqliteStore): Promise<Readonly<Record<string, string>>> {
  const { executions } = await store.find({ limit: 1000 });
  return Object.fromEntries(executions.map(({ id, projection }) => [id, projection.status]));
}

/** The status of each execution after an engine has continued the golden database. */
async function readEnds(store: SqliteStore): Promise<Readonly<Record<string, string>>> {
  const fixture = new GoldenFixture({
    store,
    workflows: OPEN_DEFINITIONS,
    agents: closingAgents(),
    startsAfterMs: 3 * HOUR_MS,
  });
  await fixture.open();
  for (const id of ["open-paused", "open-parked"]) await (await fixture.engine.get(id)).resume();
  await fixture.advance(30 * HOUR_MS);
  await fixture.engine.close();
  return statusesIn(store);
}

describe.each(KEPT_DATABASES)("the golden database of $release", ({ file }) => {
  it("JOURNAL-4 opens, is brought to today's schema, and every execution in it verifies and folds", async () => {
    const store = await opened(file);
    const statuses = await statusesIn(store);
    expect(Object.keys(statuses).toSorted()).toEqual(
      [...IMPORTED, ...OPEN_WORKFLOWS.map(({ definition }) => definition.name)].toSorted(),
    );
    for (const id of Object.keys(statuses)) {
      const { state, events } = await readFolded(store, id);
      expect([id, state.seq]).toEqual([id, events.length]);
    }
    expect(statuses).toMatchObject(
      Object.fromEntries(OPEN_WORKFLOWS.map(({ definition, stands }) => [definition.name, stands])),
    );
  });

  it("JOURNAL-3 LEASE-5 what is unfinished in it goes on to its end, and what was posted is taken", async () => {
    const store = await opened(file);
    const ends = await readEnds(store);
    expect(ends).toMatchObject(
      Object.fromEntries(OPEN_WORKFLOWS.map(({ definition, ends: end }) => [definition.name, end])),
    );
    expect(ends).toMatchObject({ [POSTED]: "completed", waiting: "failed", data: "completed" });
    expect((await store.poll()).messages).toEqual([]);
    for (const id of Object.keys(ends)) await readFolded(store, id);
  });

  it("JOURNAL-7 what was imported into it comes out as it is kept in lines", async () => {
    const store = await opened(file);
    for (const id of IMPORTED) expect(await journalText(store, id)).toBe(readGolden(journalFile(dirname(file), id)));
  });

  it("O1 has what steps wrote, and the process that was left running", async () => {
    const store = await opened(file);
    const lines = await store.readLogs({ execution: executionId(LOGGED), limit: 100 });
    expect(lines).toEqual(LOGS.map((line, index) => ({ ...line, seq: index + 1 })));
    const said = await store.readLogs({ execution: executionId(LOGGED), step: "second", after: 5, limit: 1 });
    expect(said).toMatchObject([{ seq: 6, text: "said" }]);
    expect(await store.processes()).toEqual([LEFT_RUNNING]);
  });

  it("is refused with STORE_VERSION once a newer Segno has opened it", async () => {
    const copy = copied(file);
    const connection = openConnection(copy);
    migrate(connection, [...MIGRATIONS, "CREATE TABLE later (body TEXT NOT NULL)"]);
    connection.close();
    expect(await refusal(openSqliteStore(copy))).toBe("STORE_VERSION");
  });
});

describe("the golden database of the next release", () => {
  it("JOURNAL-4 is written today with the content that is kept, row for row", async () => {
    const kept = readContent(copied(databaseFile(NEXT)));
    const made = await withDatabase((name) => readGolden(journalFile(NEXT, name)), readContent);
    expect(made, CHANGED).toBe(kept);
  });

  it("K14 has its document", async () => {
    const store = await opened(databaseFile(NEXT));
    expect(await store.documents.list(DOCUMENT.kind)).toEqual([DOCUMENT]);
  });

  it("is small", () => {
    expect(statSync(databaseFile(NEXT)).size).toBeLessThan(200_000);
  });
});
