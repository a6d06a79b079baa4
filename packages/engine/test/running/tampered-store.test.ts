// A store that was modified outside Segno: what `check` finds and `repair` restores (JOURNAL-4).

import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repairFile, type CheckedPart, type Engine, type RepairReport } from "../../src/index.ts";
import { contract, RunningFixture, useFixture } from "./fixture.ts";

const fixture = useFixture();
const LARGE = "large ".repeat(20_000);
const CALLED = contract(`
name: called
steps:
  - { id: inner, agent: large }
`);
const FLOW = contract(`
name: flow
steps:
  - { id: first, agent: large }
  - { id: call, workflow: called, dependsOn: [first] }
  - { id: hears, wait: { signal: go }, dependsOn: [call] }
`);
const WAITS = contract(`
name: waits
steps:
  - { id: later, wait: { for: 1d } }
`);
const AGENTS = { large: () => LARGE };

/** A store that each test copies and modifies. `done` has ended, `open` waits for a signal, `timed` for a timer. */
let template: RunningFixture;

beforeAll(async () => {
  template = new RunningFixture();
  const engine = await template.open({ agents: AGENTS, workflows: [CALLED] });
  const done = await engine.start(FLOW, { n: 1 }, { id: "done", idempotencyKey: "key-1", priority: 3 });
  await done.signal("go");
  await done.result();
  const open = await engine.start(FLOW, { n: 2 }, { id: "open", idempotencyKey: "key-2" });
  for await (const event of open.events()) if (event.kind === "step.suspended") break;
  const timed = await engine.start(WAITS, null, { id: "timed" });
  for await (const event of timed.events()) if (event.kind === "step.suspended") break;
  await template.closeEngines();
});
afterAll(() => template.close());

function populate(): void {
  copyFileSync(template.file, fixture.current.file);
}

function sql(...statements: readonly string[]): void {
  const database = new DatabaseSync(fixture.current.file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

async function openParts(engine: Engine): Promise<readonly CheckedPart[]> {
  const parts: CheckedPart[] = [];
  for await (const part of engine.check()) parts.push(part);
  return parts;
}

/** The findings of the check as `id code`, without duplicates. */
async function listFindings(): Promise<readonly string[]> {
  const engine = await fixture.current.open({ mode: "readOnly" });
  const parts = await openParts(engine);
  await engine.close();
  const all = parts.flatMap((part) =>
    part.findings.map(({ code }) => `${part.kind === "execution" ? part.id : "store"} ${code}`),
  );
  return [...new Set(all)].toSorted();
}

async function repair(): Promise<RepairReport> {
  return repairFile(fixture.current.file);
}

/** All columns of the rows of `executions`. */
function rows(): readonly unknown[] {
  const database = new DatabaseSync(fixture.current.file, { readOnly: true });
  try {
    return database.prepare("SELECT * FROM executions ORDER BY key").all();
  } finally {
    database.close();
  }
}

describe("an intact store", () => {
  it("JOURNAL-4 has no findings, also while another process writes to it", async () => {
    populate();
    expect(await listFindings()).toEqual([]);
    const owner = await fixture.current.open({ agents: AGENTS, workflows: [CALLED] });
    expect(owner.isOwner).toBe(true);
    const reader = await fixture.current.open({ mode: "readOnly" });
    const check = reader.check();
    expect((await check.next()).value).toEqual({ kind: "store", findings: [] });
    expect((await check.next()).value).toMatchObject({ kind: "execution", id: "done", findings: [] });
    // The check reads one snapshot, whatever is written meanwhile.
    const open = await owner.get("open");
    await open.signal("go");
    await open.result();
    await owner.remove("done");
    const rest: unknown[] = [];
    for await (const part of check) rest.push(part);
    expect(rest).toMatchObject([
      { id: "open", findings: [] },
      { id: "timed", findings: [] },
      { kind: "store", findings: [] },
    ]);
  });

  it("JOURNAL-4 has nothing to repair, and a repair changes no row", async () => {
    populate();
    const before = rows();
    expect(await repair()).toEqual({ restoredIds: 0, repaired: [], remaining: [] });
    expect(rows()).toEqual(before);
  });

  it("ENGINE_NOT_OWNER is not repaired while a process owns it", async () => {
    populate();
    await fixture.current.open({ agents: AGENTS, workflows: [CALLED] });
    await expect(repair()).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
  });
});

const DEFINITION_OF_OPEN = "hash = (SELECT definition FROM executions WHERE id = 'open')";
const KEY_OF_OPEN = "(SELECT key FROM executions WHERE id = 'open')";

/** SQL statements that damage the store, and the expected findings. */
const DAMAGES: readonly (readonly [what: string, statements: readonly string[], findings: readonly string[]])[] = [
  [
    "DEFINITION_DAMAGED a definition with another text",
    [`UPDATE definitions SET body = replace(body, 'hears', 'heard') WHERE ${DEFINITION_OF_OPEN}`],
    ["done DEFINITION_DAMAGED", "open DEFINITION_DAMAGED"],
  ],
  [
    "DEFINITION_DAMAGED a definition that was deleted",
    [`DELETE FROM definitions WHERE ${DEFINITION_OF_OPEN}`],
    ["done DEFINITION_DAMAGED", "open DEFINITION_DAMAGED"],
  ],
  [
    "DEFINITION_DAMAGED the definition of a called workflow",
    ['DELETE FROM definitions WHERE body LIKE \'%"name":"called"%\''],
    ["done DEFINITION_DAMAGED", "open DEFINITION_DAMAGED"],
  ],
  [
    "VALUE_DAMAGED a value that was deleted",
    [`DELETE FROM execution_values WHERE execution = ${KEY_OF_OPEN}`],
    ["open VALUE_DAMAGED"],
  ],
  [
    "VALUE_DAMAGED a value with another text",
    [`UPDATE execution_values SET body = '"changed"' WHERE execution = ${KEY_OF_OPEN}`],
    ["open VALUE_DAMAGED"],
  ],
  [
    "JOURNAL_DAMAGED a first row that was deleted",
    [`DELETE FROM journal WHERE id = (SELECT min(id) FROM journal WHERE execution = ${KEY_OF_OPEN})`],
    ["open JOURNAL_DAMAGED"],
  ],
  [
    "JOURNAL_DAMAGED a row in the middle that was deleted",
    [
      `DELETE FROM journal WHERE id = (SELECT id FROM journal WHERE execution = ${KEY_OF_OPEN} ORDER BY id LIMIT 1 OFFSET 1)`,
    ],
    ["open JOURNAL_DAMAGED"],
  ],
  [
    "JOURNAL_DAMAGED a last row that was deleted",
    [`DELETE FROM journal WHERE id = (SELECT max(id) FROM journal WHERE execution = ${KEY_OF_OPEN})`],
    ["open JOURNAL_DAMAGED"],
  ],
  [
    "JOURNAL_DAMAGED an event that was changed",
    [`UPDATE journal SET body = replace(body, '"attempt":1', '"attempt":2') WHERE execution = ${KEY_OF_OPEN}`],
    ["open JOURNAL_DAMAGED"],
  ],
  [
    "JOURNAL_DAMAGED a hash that was changed",
    [`UPDATE journal SET hash = 'x' WHERE execution = ${KEY_OF_OPEN}`],
    ["open JOURNAL_DAMAGED"],
  ],
  [
    "ROWS_ORPHANED the row of an execution that was deleted",
    ["DELETE FROM executions WHERE id = 'open'"],
    ["store ROWS_ORPHANED"],
  ],
  [
    "ROWS_ORPHANED a row of the journal that was added",
    ["INSERT INTO journal SELECT 0, execution, 0, 99, 1, 0, NULL, 0, 'x', '{}' FROM journal WHERE id = 1"],
    ["store ROWS_ORPHANED"],
  ],
];

describe("damage that a repair cannot undo", () => {
  it.each(DAMAGES)("JOURNAL-4 %s is reported, and refused by a repair", async (_, statements, findings) => {
    populate();
    sql(...statements);
    expect(await listFindings()).toEqual(findings);
    const before = rows();
    const report = await repair();
    expect(report.repaired).toEqual([]);
    expect(report.remaining.length).toBeGreaterThan(0);
    expect(rows()).toEqual(before);
    expect(await listFindings()).toEqual(findings);
  });
});

describe("a projection that contradicts its journal", () => {
  const CHANGES: readonly string[] = [
    "status = 'failed'",
    "seq = seq + 1",
    "seq = seq - 1",
    "last_block = last_block - 1",
    "last_block = 1",
    "last_block = 999999",
    "updated_at = updated_at + 1",
    "wake_at = 5",
    "wake_at = 'soon'",
    "updated_at = 'soon'",
    "updated_at = 1.5",
    "created_at = x'01'",
    "steps_ended = steps_ended + 1",
    "steps_total = steps_total + 1",
    "head = 'another'",
    "created_at = created_at + 1",
    "priority = 9",
    "workflow = 'another'",
    "definition = 'sha256:00'",
    "correlation_id = 'another'",
    "idempotency_key = 'another'",
    "idempotency_key = NULL, idempotency_payload = NULL",
    "idempotency_payload = 'sha256:00'",
    "payloads_removed_at = 7",
  ];

  it.each(CHANGES)("JOURNAL-4 PROJECTION_WRONG %s is reported, and rebuilt from the journal", async (change) => {
    populate();
    const before = rows();
    sql(`UPDATE executions SET ${change} WHERE id = 'open'`);
    expect(await listFindings()).toEqual(["open PROJECTION_WRONG"]);
    expect(await repair()).toMatchObject({ repaired: [{ id: "open" }], remaining: [] });
    expect(rows()).toEqual(before);
    expect(await listFindings()).toEqual([]);
    const engine = await fixture.current.open({ agents: AGENTS, workflows: [CALLED] });
    const open = await engine.get("open");
    await open.signal("go");
    await open.result();
  });
});

describe("several rows that contradict their journals", () => {
  it("JOURNAL-4 PROJECTION_WRONG a timer that would never fire is reported and repaired", async () => {
    populate();
    const before = rows();
    sql("UPDATE executions SET wake_at = NULL WHERE id = 'timed'");
    expect(await listFindings()).toEqual(["timed PROJECTION_WRONG"]);
    await repair();
    expect(rows()).toEqual(before);
  });

  it("JOURNAL-4 PROJECTION_WRONG ids that were exchanged are reported and restored", async () => {
    populate();
    const before = rows();
    sql(
      "UPDATE executions SET id = 'x' WHERE id = 'done'",
      "UPDATE executions SET id = 'done' WHERE id = 'open'",
      "UPDATE executions SET id = 'open' WHERE id = 'x'",
    );
    expect(await listFindings()).toEqual(["done PROJECTION_WRONG", "open PROJECTION_WRONG"]);
    expect((await repair()).remaining).toEqual([]);
    expect(rows()).toEqual(before);
  });

  it("JOURNAL-4 PROJECTION_WRONG an id is not restored while another execution has it", async () => {
    populate();
    sql(
      "UPDATE executions SET id = 'x' WHERE id = 'open'",
      `INSERT INTO executions (key, id, epoch, status, seq, last_block, updated_at, wake_at,
         steps_ended, head, created_at, priority, steps_total, workflow, definition, correlation_id)
       SELECT 99, 'open', epoch, status, seq, last_block, updated_at, wake_at, steps_ended, head,
         created_at, priority, steps_total, workflow, definition, correlation_id
       FROM executions WHERE id = 'timed'`,
    );
    const { remaining } = await repair();
    expect(remaining.map(({ id }) => id)).toEqual(expect.arrayContaining(["x", "open"]));
  });

  it("JOURNAL-4 PROJECTION_WRONG rows with wrong links are linked again", async () => {
    populate();
    const last = "(SELECT last_block FROM executions WHERE id = 'open')";
    sql(`UPDATE journal SET previous = 1 WHERE id = ${last}`);
    expect(await listFindings()).toEqual(["open PROJECTION_WRONG"]);
    expect(await repair()).toMatchObject({ repaired: [{ id: "open" }], remaining: [] });
    expect(await listFindings()).toEqual([]);
  });

  it("JOURNAL-4 is checked in time proportional to the journal, however much of it is damaged", async () => {
    populate();
    sql(
      "UPDATE executions SET last_block = 999999",
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO executions (key, id, epoch, status, seq, last_block, updated_at, wake_at,
         steps_ended, head, created_at, priority, steps_total, workflow, definition, correlation_id)
       SELECT NULL, 'copy-' || i, epoch, status, seq, last_block, updated_at, wake_at, steps_ended,
         head, created_at, priority, steps_total, workflow, definition, correlation_id
       FROM n, executions WHERE id = 'timed'`,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO journal SELECT 1000 + i, 10 + i, 0, 1, 1, 0, NULL, 0, 'x', '{}' FROM n`,
    );
    const engine = await fixture.current.open({ mode: "readOnly" });
    expect((await openParts(engine)).length).toBe(5005);
  });
});

describe("removed payloads", () => {
  it("DATA-11 JOURNAL-4 are distinguished from lost values", async () => {
    populate();
    const engine = await fixture.current.open({ agents: AGENTS, workflows: [CALLED] });
    await engine.removePayloads("done");
    await engine.close();
    expect(await listFindings()).toEqual([]);
    sql("UPDATE executions SET payloads_removed_at = NULL WHERE id = 'done'");
    expect(await listFindings()).toEqual(["done VALUE_DAMAGED"]);
  });
});

describe("an execution with a step that waits for a slot", () => {
  it("JOURNAL-4 is due at once, and is repaired if the store says otherwise", async () => {
    const engine = await fixture.current.open({ agents: AGENTS, limits: { slots: 0 } });
    await engine.start(CALLED, null, { id: "queued" });
    await fixture.current.closeEngines();
    expect(await listFindings()).toEqual([]);
    sql("UPDATE executions SET wake_at = NULL");
    expect(await listFindings()).toEqual(["queued PROJECTION_WRONG"]);
    await repair();
    expect(await listFindings()).toEqual([]);
  });
});

describe("a store with a value that Segno does not write", () => {
  it.each(["id", "id + 1", "-1"])(
    "JOURNAL-4 PROJECTION_WRONG a first row that names %s as its predecessor is linked again",
    async (link) => {
      populate();
      sql(
        `UPDATE journal SET previous = ${link}
         WHERE first_seq = 1 AND execution = (SELECT key FROM executions WHERE id = 'open')`,
      );
      expect(await listFindings()).toEqual(["open PROJECTION_WRONG"]);
      expect(await repair()).toMatchObject({ repaired: [{ id: "open" }], remaining: [] });
      expect(await listFindings()).toEqual([]);
    },
  );

  it("STORE_CORRUPT a number that JavaScript cannot hold is damage of its row, which a repair restores", async () => {
    populate();
    sql("UPDATE executions SET created_at = 9007199254740993 WHERE id = 'open'");
    const engine = await fixture.current.open({ mode: "readOnly" });
    expect((await engine.list()).executions).toHaveLength(3);
    expect(await engine.verify("done")).toMatchObject({ ok: true });
    await engine.close();
    expect(await listFindings()).toEqual(["open PROJECTION_WRONG"]);
    expect(await repair()).toMatchObject({ repaired: [{ id: "open" }], remaining: [] });
  });
});
