import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { EVENT_KINDS, EVENT_VERSION, executionId, type ExecutionId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { checkImport } from "../../src/api/checking/import-check.ts";
import { importExecution } from "../../src/journal/transfer.ts";
import type { Block, LoadResult, Store } from "../../src/store/store.ts";
import type { Examination } from "../../src/store/store-admin.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { refusal } from "../stores/contract/claim.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { readLines } from "./golden-database.ts";
import { CHANGED, journalFile, journalNames, keptFolders, NEXT, readGolden, viewFile } from "./golden-files.ts";
import { journalText, makeGolden, readFolded, viewText } from "./golden-journal.ts";
import { asNewerExport, withNewerEvents } from "./newer-journal.ts";
import { SCENARIOS } from "./scenarios.ts";
import { GoldenFixture } from "./fixture.ts";
import { MUST_OCCUR, readTraces } from "./traces.ts";

const scratch = scratchFolder();

/** Every golden journal of every folder, as rows for a test. */
const GOLDEN = keptFolders().flatMap((folder) =>
  journalNames(folder).map((name) => ({ name, folder, release: basename(folder) })),
);

async function imported(store: Store, text: string): Promise<Store> {
  await importExecution(store, readLines(text));
  return store;
}

describe("a golden journal", () => {
  it.each(GOLDEN)(
    "JOURNAL-2 JOURNAL-4 $release/$name verifies, and folds to the snapshot beside it",
    async ({ folder, name }) => {
      const store = await imported(new MemoryStore(), readGolden(journalFile(folder, name)));
      const view = readGolden(viewFile(folder, name));
      const { about, snapshot } = JSON.parse(view) as { about: string; snapshot: { status: string } };
      const folded = await readFolded(store, name);
      expect(viewText(about, folded), CHANGED).toBe(view);
      expect((await store.load(executionId(name)))!).toMatchObject({ projection: { status: snapshot.status } });
    },
  );

  it.each(GOLDEN)(
    "JOURNAL-7 $release/$name leaves every store with the bytes that it came with",
    async ({ folder, name }) => {
      const text = readGolden(journalFile(folder, name));
      const memory = await imported(new MemoryStore(), text);
      const sqlite = await imported(scratch.closing(await openSqliteStore(scratch.file())), text);
      expect(await journalText(memory, name)).toBe(text);
      expect(await journalText(sqlite, name)).toBe(text);
    },
  );
});

describe("the golden journals of the next release", () => {
  it("JOURNAL-4 hold every kind of event, and every variant of what an event may say", async () => {
    const kinds = new Set<string>();
    const traces = new Set<string>();
    for (const name of journalNames(NEXT)) {
      const store = await imported(new MemoryStore(), readGolden(journalFile(NEXT, name)));
      for (const event of (await readFolded(store, name)).events) {
        kinds.add(event.kind);
        for (const trace of readTraces(event)) traces.add(trace);
      }
    }
    expect(EVENT_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(MUST_OCCUR.filter((trace) => !traces.has(trace))).toEqual([]);
  });

  it.each(SCENARIOS)("JOURNAL-4 $name is written today byte for byte as it is kept", async (scenario) => {
    const { journal, view } = await makeGolden(scenario);
    expect(journal, CHANGED).toBe(readGolden(journalFile(NEXT, scenario.name)));
    expect(view, CHANGED).toBe(readGolden(viewFile(NEXT, scenario.name)));
  });

  it("are those of the scenarios and no others", () => {
    const files = SCENARIOS.flatMap(({ name }) => [`${name}.json`, `${name}.jsonl`]);
    expect(readdirSync(NEXT).toSorted(), CHANGED).toEqual([...files, "store.db"].toSorted());
  });
});

/** A store in which a newer Segno has written. */
class NewerStore extends MemoryStore {
  override async load(id: ExecutionId): Promise<LoadResult | undefined> {
    const loaded = await super.load(id);
    if (loaded?.kind !== "execution" || id !== "waiting") return loaded;
    return { ...loaded, blocks: loaded.blocks.map(raisedBlock) };
  }

  override async examine(id: ExecutionId): Promise<Examination | undefined> {
    const examined = await super.examine(id);
    return examined === undefined || id !== "waiting"
      ? examined
      : { ...examined, blocks: examined.blocks.map(raisedBlock) };
  }
}

function raisedBlock(block: Block): Block {
  return { ...block, body: raised(block.body) };
}

function raised(body: string): string {
  return body.replaceAll(`"v":${EVENT_VERSION}`, `"v":${EVENT_VERSION + 1}`);
}

describe("a journal of a newer Segno", () => {
  it("JOURNAL-7 is refused as an export with EXPORT_INVALID, and nothing of it is imported", async () => {
    const store = new MemoryStore();
    const newer = asNewerExport(readGolden(journalFile(NEXT, "retries")));
    expect(await refusal(importExecution(store, readLines(newer)))).toBe("EXPORT_INVALID");
    const newerEvents = withNewerEvents(readGolden(journalFile(NEXT, "retries")));
    expect(await refusal(importExecution(store, readLines(newerEvents), { check: checkImport }))).toBe(
      "EXPORT_INVALID",
    );
    expect(await store.load(executionId("retries"))).toBeUndefined();
  });

  it("JOURNAL-4 JOURNAL-6 is refused where its events are newer with STORE_VERSION, is not set aside, and others carry on", async () => {
    const store = await imported(new NewerStore(), readGolden(journalFile(NEXT, "waiting")));
    await imported(store, readGolden(journalFile(NEXT, "retries")));
    const fixture = new GoldenFixture({ store, workflows: [], agents: {} });
    await fixture.open();
    expect(await fixture.engine.verify("waiting")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("version 2 is not known here") as string,
    });
    expect(await refusal((await fixture.engine.get("waiting")).status())).toBe("STORE_VERSION");
    expect(await fixture.engine.verify("retries")).toMatchObject({ ok: true });
    await fixture.engine.close();
  });
});
