// The golden database: a file of the SQLite store, as left by a process that dies during its work.
//
//   B1. It is written through the real store: some executions are imported, others run on an engine until it is killed.
//   B2. The file is copied while the store is open, so that rows of `executions` lag behind the journal's tail, and the
//       inbox has messages that were not taken.
//   B3. The content is reproducible. The bytes are reproducible only with the same release of SQLite, which writes its
//       version into the file; so files are compared by content.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { epochMs, executionId, type EpochMs } from "@segno/kernel";
import { canonicalHash, definitionText } from "../../src/checks/definition-text.ts";
import type { ProcessEntry, ProcessRecords } from "../../src/store/process-records.ts";
import type { StoredDocument } from "../../src/store/document-store.ts";
import type { LogLine, StepLogs } from "../../src/store/step-logs.ts";
import type { Store } from "../../src/store/store.ts";
import { importExecution } from "../../src/journal/transfer.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { Command } from "../../src/inbox/command.ts";
import { OPEN_DEFINITIONS, OPEN_WORKFLOWS, openAgents } from "./open-workflows.ts";
import { step } from "./scenario.ts";
import { GoldenFixture } from "./fixture.ts";

/** Golden journals that are imported into it. */
export const IMPORTED: readonly string[] = [
  "data",
  "retries",
  "large-value",
  "sub-workflow",
  "run-time-steps",
  "compensation",
  "approvals",
  "places",
  "waiting",
];

export const POSTED = "open-posted";

/** The execution with logs. */
export const LOGGED = "open-running";

/** Its log lines: every stream, every kind of cut, and difficult text. */
export const LOGS: readonly LogLine[] = [
  { step: "first", attempt: 1, stream: "stdout", at: logAt(0), text: "one" },
  { step: "first", attempt: 1, stream: "stdout", at: logAt(0), text: "two \u0000 \uD83D é" },
  { step: "first", attempt: 1, stream: "stdout", at: logAt(1), text: "", cut: { kind: "line", bytes: 70_000 } },
  { step: "first", attempt: 1, stream: "stderr", at: logAt(2), text: "" },
  { step: "first", attempt: 1, stream: "stdout", at: logAt(2), text: "", cut: { kind: "attempt", bytes: 2 ** 40 } },
  { step: "second", attempt: 1, stream: "log", at: logAt(3), text: "said" },
  { step: "second", attempt: 1, stream: "log", at: logAt(4), text: "", cut: { kind: "lost", bytes: 5 } },
];

/** The process that runs at the kill. No system has such a pid, so searching for it ends no process. */
export const LEFT_RUNNING: ProcessEntry = { marker: "golden.open-running.1.1", pid: 2 ** 30, startTime: "boot 815" };

export const DOCUMENT: StoredDocument = { kind: "token", key: "é 1", body: '{"name":"golden"}' };

/** Creates the database in its own folder and passes it to `use`. */
export async function withDatabase<Result>(
  journalOf: (name: string) => string,
  use: (file: string) => Result,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "segno-golden-"));
  try {
    const file = join(folder, "written.db");
    // A writer thread would write while the fixture believes that nothing is left to do.
    const store = await openSqliteStore(file, { writer: "main" });
    try {
      for (const name of IMPORTED) await importExecution(store, readLines(journalOf(name)));
      await runUntilKilled(store);
      await leaveBehind(store);
      return use(taken(file, join(folder, "taken.db")));
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function readLines(journal: string): readonly string[] {
  return journal.trimEnd().split("\n");
}

/** Copies the file alone, including the content of its log. */
function taken(file: string, target: string): string {
  const database = new DatabaseSync(file);
  // Each store has its own id, and each user another key.
  database.exec("DELETE FROM meta WHERE key IN ('id', 'creator')");
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
  database.close();
  if (busy !== 0) throw new Error("the log of the golden database could not be emptied");
  copyFileSync(file, target);
  return target;
}

async function runUntilKilled(store: Store): Promise<void> {
  const fixture = new GoldenFixture({ store, workflows: OPEN_DEFINITIONS, agents: openAgents() });
  await fixture.open();
  for (const { definition, input = null, wish: command } of OPEN_WORKFLOWS) {
    await fixture.start(definition.name, definition.name, input);
    await command?.(fixture, definition.name);
    await fixture.advance(1000);
  }
  fixture.crash();
  await postAll(store, fixture.timeAfter(60_000));
}

async function leaveBehind(store: Store & StepLogs & ProcessRecords): Promise<void> {
  for (const lines of [LOGS.slice(0, 3), LOGS.slice(3)])
    await store.appendLogs([{ execution: executionId(LOGGED), lines }]);
  await store.noteProcess(LEFT_RUNNING);
  await store.documents!.put(DOCUMENT, null);
}

function logAt(offsetMs: number): EpochMs {
  return epochMs(1_763_000_000_000 + offsetMs);
}

async function postAll(store: Store, at: number): Promise<void> {
  const postedAt = epochMs(at);
  for (const { definition, posted } of OPEN_WORKFLOWS) {
    if (posted === undefined) continue;
    await store.post({ execution: executionId(definition.name), body: JSON.stringify(posted), postedAt });
  }
  const body = definitionText({ name: POSTED, steps: [step("works")] });
  const hash = canonicalHash(body);
  const command: Command = {
    kind: "start",
    workflow: POSTED,
    definition: hash,
    input: { posted: true },
    seed: 7,
    correlationId: POSTED,
    priority: 3,
  };
  const definitions = [{ hash, body }];
  await store.post({ execution: executionId(POSTED), body: JSON.stringify(command), postedAt, definitions });
}

/** The content of a database, one line per fact: its marks, its schema, its rows. */
export function readContent(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const marks = ["application_id", "user_version", "page_size", "journal_mode", "encoding"].map((name) =>
      JSON.stringify(database.prepare(`PRAGMA ${name}`).get()),
    );
    const schema = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
    const tables = schema.flatMap(({ type, name }) => (type === "table" ? [String(name)] : []));
    const rows = tables.flatMap((table) =>
      database
        .prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`)
        .all()
        .map((row) => `${table} ${JSON.stringify(row)}`),
    );
    return [...marks, ...schema.map((row) => JSON.stringify(row)), ...rows].join("\n");
  } finally {
    database.close();
  }
}
