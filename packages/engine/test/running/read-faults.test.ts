// A store that cannot be read for a while: no execution is quarantined or lost, and all of them continue (JOURNAL-6).

import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { Engine, EngineOptions } from "../../src/index.ts";
import { DamagedPages } from "./damaged-pages.ts";
import { contract, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();
const WAITS = contract(`
name: waits
steps:
  - { id: hears, wait: { signal: go } }
  - { id: works, agent: works, dependsOn: [hears] }
`);
const WORKS = contract(`
name: works
steps:
  - { id: works, agent: works }
`);
const AGENTS = { works: () => "done" };
const COUNT = 60;
const IDS = Array.from({ length: COUNT }, (_, index) => `execution-${index}-${"x".repeat(60)}`);
/** The same file on this thread, so that readers see the injected faults. */
const HERE: EngineOptions = { agents: AGENTS, writer: "main" };

const opened: DamagedPages[] = [];
// Registered after the fixture's hooks, so it runs after the test closed its engines and before the fixture removes the
// folder.
afterEach(async () => {
  await fixture.current.closeEngines();
  for (const pages of opened.splice(0)) pages.close();
});

async function populate(workflow: typeof WAITS): Promise<void> {
  // Nothing runs, so everything is due when the file is opened again.
  const engine = await fixture.current.open({ ...HERE, limits: { slots: 0 } });
  for (const id of IDS) await engine.start(workflow, { filler: "x".repeat(500) }, { id });
  await fixture.current.closeEngines();
}

function findPages(): DamagedPages {
  const pages = new DamagedPages(fixture.current.file);
  opened.push(pages);
  return pages;
}

async function listQuarantined(engine: Engine): Promise<readonly string[]> {
  const { executions } = await engine.list({ limit: 1000 });
  return executions.flatMap(({ id, quarantined: why }) => (why === undefined ? [] : [id]));
}

/** Takes the reported errors, by code; the fixture expects none to be left. */
function takeFaults(): ReadonlySet<string> {
  return new Set(fixture.current.faults.splice(0).map((fault) => (fault as { code: string }).code));
}

describe("a store that cannot be read", () => {
  it("JOURNAL-6 quarantines no execution, and all of them continue when it can be read again", async () => {
    await populate(WAITS);
    const engine = await fixture.current.open(HERE);
    const pages = findPages();
    pages.spoilAll();
    for (const id of IDS)
      await expect(engine.get(id).then((handle) => handle.signal("go"))).rejects.toMatchObject({
        code: expect.stringMatching(/^STORE_(?:IO|CORRUPT)$/u),
      });
    pages.restore();
    for (const id of IDS) {
      await pollUntil(() => exists(engine, id), `${id} can be read`);
      const handle = await engine.get(id);
      await handle.signal("go");
      await handle.result();
    }
    expect(await listQuarantined(engine)).toEqual([]);
    takeFaults();
  });

  it("JOURNAL-6 delays executions that are due, and does not end them", async () => {
    await populate(WORKS);
    const pages = findPages();
    // The rows of executions and the end of the journal can be read.
    pages.spoil("journal");
    const engine = await fixture.current.open(HERE);
    await pollUntil(() => fixture.current.faults.length > 0, "what is due was tried");
    expect(await listQuarantined(engine)).toEqual([]);
    pages.restore();
    for (const id of IDS) await pollUntil(() => untilEnded(engine, id), `${id} has ended`);
    expect(await listQuarantined(engine)).toEqual([]);
    expect([...takeFaults()].filter((code) => code !== "STORE_IO" && code !== "STORE_CORRUPT")).toEqual([]);
  });

  it("LEASE-5 JOURNAL-6 keeps posted starts until they can be read", async () => {
    await populate(WAITS);
    const owner = await fixture.current.open({ ...HERE, pollMs: 5 });
    const pages = findPages();
    pages.spoil("sqlite_autoindex_executions_1");
    const posted = Array.from({ length: COUNT }, (_, index) => `another-${index}`);
    for (const id of posted) post(id);
    await pollUntil(() => fixture.current.faults.length > 0, "a read failed");
    pages.restore();
    for (const id of posted) await pollUntil(() => exists(owner, id), `${id} is there`);
    expect(await listQuarantined(owner)).toEqual([]);
    takeFaults();
  });
});

describe("a start with an id, while the store cannot be read", () => {
  it("STORE_IO reports that the store cannot be read, not that the execution exists", async () => {
    await populate(WAITS);
    const engine = await fixture.current.open(HERE);
    const pages = findPages();
    pages.spoilAll();
    for (const id of ["new-1", "new-2"])
      await expect(engine.start(WORKS, null, { id })).rejects.toMatchObject({
        code: expect.stringMatching(/^STORE_(?:IO|CORRUPT)$/u),
      });
    pages.restore();
    await pollUntil(
      () =>
        engine.start(WORKS, null, { id: "new-1" }).then(
          () => true,
          () => false,
        ),
      "it starts",
    );
    await expect(engine.start(WORKS, null, { id: "new-1" })).rejects.toMatchObject({ code: "EXECUTION_EXISTS" });
    takeFaults();
  });
});

function exists(engine: Engine, id: string): Promise<boolean> {
  return engine.get(id).then(
    () => true,
    () => false,
  );
}

async function untilEnded(engine: Engine, id: string): Promise<boolean> {
  const status = await engine.get(id).then(
    (handle) => handle.status(),
    () => undefined,
  );
  return status?.status === "completed";
}

/** Like a program that checks first whether the execution exists. */
function post(id: string): void {
  const database = new DatabaseSync(fixture.current.file);
  const { definition } = database.prepare("SELECT definition FROM executions LIMIT 1").get() as { definition: string };
  const command = {
    kind: "start",
    workflow: "waits",
    definition,
    input: null,
    seed: 1,
    correlationId: id,
    priority: 0,
  };
  database.prepare("INSERT INTO inbox (execution, posted_at, body) VALUES (?, 1, ?)").run(id, JSON.stringify(command));
  database.close();
}
