import { describe, expect, it } from "vitest";
import { append, at, batch, toId } from "../../test/stores/contract/sample.ts";
import { scratchFolder } from "../../test/stores/scratch-folder.ts";
import type { LogLine, StepLogs } from "../store/step-logs.ts";
import type { Store } from "../store/store.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { openSqliteStore } from "../store/sqlite/open-sqlite-store.ts";
import { readLogs, type LogReading } from "./log-reader.ts";

const scratch = scratchFolder();
const A = toId("a");

const line = (text: string, step = "build"): LogLine => ({ step, attempt: 1, stream: "stdout", at: at(0), text });

async function add(store: StepLogs, ...written: readonly string[]): Promise<void> {
  await store.appendLogs([{ execution: A, lines: written.map((text) => line(text)) }]);
}

const STORES: Readonly<Record<string, () => Promise<Store & StepLogs>>> = {
  memory: async () => new MemoryStore(),
  SQLite: async () => scratch.closing(await openSqliteStore(scratch.file(), { durability: "relaxed" })),
};

/** An execution that stays unfinished while actions are left to run between two reads. */
class Course implements LogReading {
  readonly follow = true;
  readonly #deeds: (() => Promise<void> | void)[];
  looks = 0;
  endsAfter: number;

  constructor(...deeds: (() => Promise<void> | void)[]) {
    this.#deeds = deeds;
    this.endsAfter = deeds.length;
  }

  async isEnded(): Promise<boolean> {
    return this.looks >= this.endsAfter;
  }

  async wait(): Promise<void> {
    await this.#deeds[this.looks++]?.();
  }
}

const OVER: LogReading = { isEnded: async () => true, wait: async () => undefined };

async function texts(lines: AsyncIterable<{ readonly text: string }>): Promise<string[]> {
  const all: string[] = [];
  for await (const { text } of lines) all.push(text);
  return all;
}

describe.each(Object.entries(STORES))("logs that are read: %s", (_, open) => {
  it("E1 come whole, however many pages they take, from any line, of any step", async () => {
    const store = await open();
    await store.commit(batch(append("a", 0)));
    const names = Array.from({ length: 2345 }, (__, index) => `line ${index}`);
    await add(store, ...names);
    await store.appendLogs([{ execution: A, lines: [line("of another", "test")] }]);
    expect(await texts(readLogs(store, { execution: A }, OVER))).toEqual([...names, "of another"]);
    expect(await texts(readLogs(store, { execution: A, step: "test" }, OVER))).toEqual(["of another"]);
    const after = (await store.readLogs({ execution: A, limit: 2000 })).at(-1)!.seq;
    expect(await texts(readLogs(store, { execution: A, step: "build", after }, OVER))).toEqual(names.slice(2000));
    expect(await texts(readLogs(store, { execution: toId("nobody") }, OVER))).toEqual([]);
  });

  it("E2 are followed to the end of the execution, also what is written a moment after it", async () => {
    const store = await open();
    await store.commit(batch(append("a", 0)));
    await add(store, "before");
    const quiet = (): void => undefined;
    const course = new Course(
      () => add(store, "one", "two"),
      quiet,
      quiet,
      quiet,
      () => add(store, ...Array.from({ length: 1200 }, () => "many")),
      quiet,
      () => add(store, "a moment after the end"),
      quiet,
      () => add(store, "and another"),
    );
    course.endsAfter = 6;
    const found = await texts(readLogs(store, { execution: A }, course));
    expect(found.filter((text) => text !== "many")).toEqual([
      "before",
      "one",
      "two",
      "a moment after the end",
      "and another",
    ]);
    expect(found).toHaveLength(1205);
    expect(course.looks).toBe(11);
  });
});

describe("a reading that follows", () => {
  it("E2 ends when it is told to, between two looks and in the middle of a page", async () => {
    const store = new MemoryStore();
    await store.commit(batch(append("a", 0)));
    await add(store, "one", "two", "three");
    const between = new AbortController();
    const course = new Course(() => between.abort());
    course.endsAfter = Infinity;
    const reading = {
      follow: true,
      signal: between.signal,
      isEnded: () => course.isEnded(),
      wait: () => course.wait(),
    };
    expect(await texts(readLogs(store, { execution: A }, reading))).toEqual(["one", "two", "three"]);
    const inside = new AbortController();
    const found: string[] = [];
    for await (const { text } of readLogs(store, { execution: A }, { ...reading, signal: inside.signal })) {
      found.push(text);
      inside.abort();
    }
    expect(found).toEqual(["one"]);
  });

  it("tells whoever reads when the store cannot", async () => {
    const store = new MemoryStore();
    await store.close();
    await expect(texts(readLogs(store, { execution: A }, OVER))).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });
});
