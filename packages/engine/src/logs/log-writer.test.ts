// The log writer on real stores, in virtual time.

import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { append, batch, toId } from "../../test/stores/contract/sample.ts";
import { scratchFolder } from "../../test/stores/scratch-folder.ts";
import { Masker } from "../secrets/masker.ts";
import type { LogLine, NewLogs, StepLogs, StoredLine } from "../store/step-logs.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { openSqliteStore } from "../store/sqlite/open-sqlite-store.ts";
import { VirtualEnvironment, VirtualTime } from "../testing/virtual-environment.ts";
import { LogWriter, type LogLimits } from "./log-writer.ts";

const scratch = scratchFolder();
const MIB = 1024 * 1024;

type LogStore = MemoryStore | Awaited<ReturnType<typeof openSqliteStore>>;

const STORES: Readonly<Record<string, () => Promise<LogStore>>> = {
  memory: async () => new MemoryStore(),
  SQLite: async () => scratch.closing(await openSqliteStore(scratch.file(), { durability: "relaxed" })),
  "SQLite with a writer thread": async () =>
    scratch.closing(await openSqliteStore(scratch.file(), { writer: "thread" })),
};

class Bench {
  readonly time = new VirtualTime();
  readonly reports: unknown[] = [];
  readonly masker = new Masker();
  readonly writer: LogWriter;

  constructor(store: Pick<StepLogs, "appendLogs"> | undefined, limits: Partial<LogLimits> = {}) {
    this.writer = new LogWriter({
      store,
      limits,
      mask: this.masker,
      environment: new VirtualEnvironment(this.time),
      later: (ms, call) => void this.time.set({ monotonic: this.time.monotonic + ms, wall: Infinity }, call),
      report: (error) => this.reports.push(error),
    });
  }
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The bytes held after a garbage collection; uncollected garbage would depend on the memory of the process. */
function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A store that contains these executions. */
async function withExecutions<Kind extends LogStore>(store: Kind, ...ids: readonly string[]): Promise<Kind> {
  await store.commit(batch(...ids.map((id) => append(id, 0))));
  return store;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const attempt = (step = "build", execution = "a"): { execution: string; step: string; attempt: number } => ({
  execution,
  step,
  attempt: 1,
});

async function readLines(store: LogStore, id = "a"): Promise<readonly StoredLine[]> {
  return store.readLogs({ execution: toId(id), limit: 10_000_000 });
}

async function readTexts(store: LogStore, id = "a"): Promise<string[]> {
  return (await readLines(store, id)).map(({ text, cut }) => (cut === undefined ? text : `${cut.kind} ${cut.bytes}`));
}

describe.each(Object.entries(STORES))("what attempts write is in the store: %s", (_, open) => {
  it("B1 a hundred milliseconds later, split into lines, each with its step, attempt, stream and time", async () => {
    const store = await withExecutions(await open(), "a");
    const { writer, time } = new Bench(store);
    const log = writer.open({ execution: "a", step: "build", attempt: 2 });
    const beganAt = time.now;
    log.write("stdout", bytes("one\ntw"));
    log.write("stderr", bytes("oops\n"));
    log.write("stdout", bytes("o\nthree"));
    await time.advance(40);
    log.close();
    expect(await readLines(store)).toEqual([]);
    await time.advance(80);
    await writer.flush();
    const same = { step: "build", attempt: 2, at: beganAt };
    expect(await readLines(store)).toEqual([
      { seq: 1, ...same, stream: "stdout", text: "one" },
      { seq: 2, ...same, stream: "stderr", text: "oops" },
      { seq: 3, ...same, stream: "stdout", text: "two" },
      { seq: 4, ...same, stream: "stdout", text: "three", at: beganAt + 40 },
    ]);
  });

  it("B1 whole and in order, whoever writes at the same time and however it is cut into chunks", async () => {
    const store = await withExecutions(await open(), "a", "b", "c");
    const { writer } = new Bench(store);
    const written: Record<string, string[]> = { a: [], b: [], c: [] };
    const chunk = fc.tuple(fc.constantFrom("a", "b", "c"), fc.string({ unit: "binary", maxLength: 2000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 50 }), fc.boolean(), async (chunks, isFlushed) => {
        const logs = new Map(["a", "b", "c"].map((id) => [id, writer.open(attempt("step", id))]));
        const texts: Record<string, string> = { a: "", b: "", c: "" };
        for (const [id, text] of chunks) {
          const line = `${text.replaceAll(/[\r\n]/gu, "·")}\n`;
          texts[id] += line;
          for (const part of [line.slice(0, 700), line.slice(700)]) logs.get(id)!.write("stdout", bytes(part));
        }
        for (const [id, log] of logs) {
          log.close();
          written[id]!.push(...texts[id]!.split("\n").slice(0, -1));
        }
        if (isFlushed) await writer.flush();
      }),
      { numRuns: 20 },
    );
    await writer.flush();
    for (const id of ["a", "b", "c"]) {
      const kept = await readTexts(store, id);
      expect(kept.length).toBe(written[id]!.length);
      expect(kept.filter((text, index) => bytes(text).toString() !== bytes(written[id]![index]!).toString())).toEqual(
        [],
      );
    }
  });
});

/** A store that records its calls, and answers when the test allows it. */
class HeldStore {
  readonly calls: NewLogs[][] = [];
  readonly answers: ((error?: unknown) => void)[] = [];

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.calls.push([...logs]);
    await new Promise<void>((resolve, reject) => {
      this.answers.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  linesOf(call: number): LogLine[] {
    return this.calls[call]!.flatMap(({ lines }) => lines);
  }
}

describe("batches", () => {
  it("B1 hold what all executions wrote meanwhile, and follow each other", async () => {
    const store = new HeldStore();
    const { writer, time } = new Bench(store);
    for (const id of ["a", "b", "c"]) writer.open(attempt("s", id)).write("stdout", bytes(`${id} 1\n${id} 2\n`));
    await time.advance(200);
    expect(store.calls.map((logs) => logs.map(({ execution, lines }) => [execution, lines.length]))).toEqual([
      [
        ["a", 2],
        ["b", 2],
        ["c", 2],
      ],
    ]);
    writer.open(attempt("s", "b")).writeLine("while it is being written");
    await time.advance(1000);
    expect(store.calls).toHaveLength(1);
    store.answers[0]!();
    await time.advance(90);
    expect(store.calls).toHaveLength(1);
    await time.advance(30);
    expect(store.linesOf(1)).toMatchObject([{ stream: "log", text: "while it is being written" }]);
  });

  it("B1 are written sooner when 64 KiB wait, and at once when it is a megabyte", async () => {
    const store = new HeldStore();
    const { writer, time } = new Bench(store);
    const log = writer.open(attempt());
    log.write("stdout", bytes(`${"x".repeat(9999)}\n`.repeat(7)));
    await time.advance(10);
    expect(store.calls).toHaveLength(1);
    store.answers[0]!();
    await time.untilIdle();
    log.write("stdout", bytes(`${"x".repeat(9999)}\n`.repeat(120)));
    expect(store.calls).toHaveLength(2);
  });

  it("B1 are all written by a flush, also what comes while it writes", async () => {
    const store = new HeldStore();
    const { writer, time } = new Bench(store);
    writer.open(attempt()).writeLine("first");
    const flushed = writer.flush();
    writer.open(attempt()).writeLine("second");
    await time.untilIdle();
    store.answers[0]!();
    await time.untilIdle();
    expect(store.linesOf(1)).toMatchObject([{ text: "second" }]);
    store.answers[1]!();
    await flushed;
    await writer.flush();
    expect(store.calls).toHaveLength(2);
  });
});

describe("a store that is slower than what is written", () => {
  it("B2 is not waited for with more than may wait, and a mark says how much was dropped", async () => {
    const store = new HeldStore();
    const { writer, time } = new Bench(store, { waitingMax: 10_000 });
    const [flood, quiet] = [writer.open(attempt("flood")), writer.open(attempt("quiet"))];
    const line = `${"x".repeat(399)}\n`;
    flood.write("stdout", bytes(line.repeat(10)));
    await time.advance(150);
    flood.write("stdout", bytes(line.repeat(1000)));
    quiet.write("stderr", bytes("dropped\n"));
    store.answers[0]!();
    await time.untilIdle();
    flood.write("stdout", bytes("dropped as well: no mark stands for the others yet\n"));
    await time.advance(150);
    const kept = store.linesOf(1).filter(({ cut }) => cut === undefined).length;
    const dropped = 400 * (1000 - kept) + "dropped as well: no mark stands for the others yet\n".length;
    expect([kept > 5, (10 + kept) * (399 + 100) <= 10_000]).toEqual([true, true]);
    expect(store.linesOf(1).slice(kept)).toMatchObject([
      { step: "flood", stream: "stdout", text: "", cut: { kind: "lost", bytes: dropped } },
      { step: "quiet", stream: "stderr", text: "", cut: { kind: "lost", bytes: 8 } },
    ]);
    store.answers[1]!();
    await time.untilIdle();
    flood.write("stdout", bytes(line.repeat(20)));
    await time.advance(150);
    expect(store.linesOf(2).map(({ text }) => text.length)).toEqual(Array.from({ length: 20 }, () => 399));
  });

  it("B2 takes no more memory than it may, and neither do a thousand million bytes", async () => {
    const store = new HeldStore();
    const { writer, time } = new Bench(store, { attemptLinesMax: Infinity });
    const log = writer.open(attempt());
    const chunk = bytes("the quick brown fox\n".repeat(3277));
    const before = heldBytes();
    let most = 0;
    for (let index = 0; index < 16_384; index++) {
      log.write("stdout", chunk);
      if (index % 2048 === 0) most = Math.max(most, heldBytes());
    }
    log.close();
    await time.untilIdle();
    const waiting = store.linesOf(0).length;
    expect(waiting * ("the quick brown fox".length + 100)).toBeLessThan(4 * MIB);
    store.answers[0]!();
    await time.advance(150);
    const all = [...store.linesOf(0), ...store.linesOf(1)];
    const cut = all.reduce((sum, line) => sum + (line.cut?.bytes ?? line.text.length + 1), 0);
    expect(cut).toBe(16_384 * chunk.length);
    expect(most - before).toBeLessThan(20 * MIB);
  });
});

describe("a store that fails", () => {
  it("B3 loses what it was given, is reported once, and has marks in their place when it works again", async () => {
    const store = new HeldStore();
    const { writer, time, reports } = new Bench(store, { waitingMax: 400 });
    const log = writer.open(attempt());
    log.write("stdout", bytes("1234\n5678\n"));
    await time.advance(150);
    log.write("stdout", bytes("written meanwhile\n"));
    store.answers[0]!(new Error("no room"));
    await time.untilIdle();
    log.write("stdout", bytes("x\n"));
    await time.advance(6000);
    const waited = [{ cut: { kind: "lost", bytes: 10 } }, { text: "written meanwhile" }, { text: "x" }];
    expect(store.linesOf(1)).toMatchObject(waited);
    store.answers[1]!(new Error("still no room"));
    await time.advance(4000);
    expect(store.calls).toHaveLength(2);
    await time.advance(2000);
    expect(store.linesOf(2)).toMatchObject([{ step: "build", attempt: 1, cut: { kind: "lost", bytes: 30 } }]);
    store.answers[2]!();
    await time.untilIdle();
    expect(reports).toEqual([new Error("no room")]);
    log.write("stdout", bytes("fine\n"));
    await time.advance(150);
    store.answers[3]!(new Error("again"));
    await time.untilIdle();
    expect(reports).toHaveLength(2);
  });

  it("B3 by being locked harms nothing: executions go on, and the mark is there afterwards", async () => {
    const file = scratch.file();
    const store = await withExecutions(scratch.closing(await openSqliteStore(file, { busyTimeoutMs: 0 })), "a");
    const { writer, time, reports } = new Bench(store);
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    writer.open(attempt()).writeLine("lost");
    await writer.flush();
    expect(reports).toMatchObject([{ code: "STORE_BUSY" }]);
    holder.exec("ROLLBACK");
    holder.close();
    await store.commit(batch(append("a", 2)));
    writer.open(attempt()).writeLine("kept");
    await time.advance(6000);
    // The store writes in real time: the write that the timer began may still be under way.
    await writer.flush();
    expect(await readTexts(store)).toEqual(["lost 5", "kept"]);
  });

  it("B3 by being full loses logs, and has room for what is small", async () => {
    const store = await withExecutions(
      scratch.closing(await openSqliteStore(scratch.file(), { sizeMaxBytes: 200_000 })),
      "a",
    );
    const { writer, reports } = new Bench(store);
    const log = writer.open(attempt());
    log.write("stdout", bytes(`${"x".repeat(9999)}\n`.repeat(50)));
    await writer.flush();
    expect(reports).toMatchObject([{ code: "STORE_FULL" }]);
    await store.commit(batch(append("a", 2)));
    log.write("stdout", bytes("small\n"));
    await writer.flush();
    expect(await readTexts(store)).toEqual(["lost 500000", "small"]);
  });
});

describe("a flush", () => {
  it("B3 ends also when the store is closed", async () => {
    const store = await withExecutions(new MemoryStore(), "a");
    const { writer, reports } = new Bench(store);
    writer.open(attempt()).writeLine("late");
    await store.close();
    await writer.flush();
    expect(reports).toMatchObject([{ code: "STORE_CLOSED" }]);
  });
});

describe("who looks on", () => {
  it("B4 sees lines at once, of one execution or of all, until it has seen enough", () => {
    const { writer, reports } = new Bench(undefined);
    const seen: string[] = [];
    const note =
      (who: string) =>
      (execution: string, lines: readonly LogLine[]): void =>
        void seen.push(...lines.map(({ text }) => `${who} ${execution} ${text}`));
    writer.subscribe({}, () => {
      throw new Error("looks away");
    });
    const ends = [writer.subscribe({}, note("all")), writer.subscribe({ execution: "b" }, note("one"))];
    writer.open(attempt("s", "a")).write("stdout", bytes("x\ny"));
    writer.open(attempt("s", "b")).writeLine("z\nzz");
    expect(seen).toEqual(["all a x", "all b z", "all b zz", "one b z", "one b zz"]);
    for (const end of ends) end();
    writer.open(attempt("s", "b")).writeLine("unseen");
    expect(seen).toHaveLength(5);
    expect(reports).toHaveLength(3);
  });

  it("B4 sees what the store could not take", async () => {
    const store = await withExecutions(new MemoryStore(), "a");
    const { writer } = new Bench(store, { waitingMax: 150 });
    const seen: string[] = [];
    writer.subscribe({ execution: "a" }, (_, lines) => seen.push(...lines.map(({ text }) => text)));
    writer.open(attempt()).write("stdout", bytes("one\ntwo\nthree\n"));
    await writer.flush();
    expect(seen).toEqual(["one", "two", "three"]);
    expect(await readTexts(store)).toEqual(["one", "lost 10"]);
  });
});
