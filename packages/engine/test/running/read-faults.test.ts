// JOURNAL-6: a store that cannot be read for a while. Nothing is set aside for it, nothing is lost, and everything goes on.

import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { Engine, EngineOptions } from "../../src/index.ts";
import { DamagedPages } from "./damaged-pages.ts";
import { contract, useFixture, pollUntil } from "./fixture.ts";

const stage = useFixture();
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
/** The same file, all on this thread: what is injected is seen by whoever reads. */
const HERE: EngineOptions = { agents: AGENTS, writer: "main" };

const opened: DamagedPages[] = [];
// Registered after the fixture's own, so it runs before that closes the engines' folder, and after the test closed them.
afterEach(async () => {
  await stage.current.closeEngines();
  for (const pages of opened.splice(0)) pages.close();
});

async function populate(workflow: typeof WAITS): Promise<void> {
  // Nothing is run, so everything is due when the file is opened again.
  const engine = await stage.current.open({ ...HERE, limits: { slots: 0 } });
  for (const id of IDS) await engine.start(workflow, { filler: "x".repeat(500) }, { id });
  await stage.current.closeEngines();
}

function pagesOf(): DamagedPages {
  const pages = new DamagedPages(stage.current.file);
  opened.push(pages);
  return pages;
}

async function quarantined(engine: Engine): Promise<readonly string[]> {
  const { executions } = await engine.list({ limit: 1000 });
  return executions.flatMap(({ id, quarantined: why }) => (why === undefined ? [] : [id]));
}

/** What was reported, by its code; the fixture wants nothing to be left. */
function takeFaults(): ReadonlySet<string> {
  return new Set(stage.current.faults.splice(0).map((fault) => (fault as { code: string }).code));
}

describe("a store that cannot be read", () => {
  it("JOURNAL-6 sets no execution aside, and all of them go on when it can be read again", async () => {
    await populate(WAITS);
    const engine = await stage.current.open(HERE);
    const pages = pagesOf();
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
    expect(await quarantined(engine)).toEqual([]);
    takeFaults();
  });

  it("JOURNAL-6 delays what is due, and does not end it", async () => {
    await populate(WORKS);
    const pages = pagesOf();
    // The rows of executions can be read, and the end of the journal.
    pages.spoil("journal");
    const engine = await stage.current.open(HERE);
    await pollUntil(() => stage.current.faults.length > 0, "what is due was tried");
    expect(await quarantined(engine)).toEqual([]);
    pages.restore();
    for (const id of IDS) await pollUntil(() => ended(engine, id), `${id} has ended`);
    expect(await quarantined(engine)).toEqual([]);
    expect([...takeFaults()].filter((code) => code !== "STORE_IO" && code !== "STORE_CORRUPT")).toEqual([]);
  });

  it("LEASE-5 JOURNAL-6 keeps starts that were posted until they can be read", async () => {
    await populate(WAITS);
    const owner = await stage.current.open({ ...HERE, pollMs: 5 });
    const pages = pagesOf();
    pages.spoil("sqlite_autoindex_executions_1");
    const posted = Array.from({ length: COUNT }, (_, index) => `another-${index}`);
    for (const id of posted) post(id);
    await pollUntil(() => stage.current.faults.length > 0, "a read failed");
    pages.restore();
    for (const id of posted) await pollUntil(() => exists(owner, id), `${id} is there`);
    expect(await quarantined(owner)).toEqual([]);
    takeFaults();
  });
});

describe("a start with an id, while the store cannot be read", () => {
  it("STORE_IO says that the store cannot be read, and not that the execution exists", async () => {
    await populate(WAITS);
    const engine = await stage.current.open(HERE);
    const pages = pagesOf();
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

async function ended(engine: Engine, id: string): Promise<boolean> {
  const status = await engine.get(id).then(
    (handle) => handle.status(),
    () => undefined,
  );
  return status?.status === "completed";
}

/** As a program would that has looked before whether there is such an execution. */
function post(id: string): void {
  const database = new DatabaseSync(stage.current.file);
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
