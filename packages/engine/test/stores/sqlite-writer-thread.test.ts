// The SQLite store with a writer thread: the differences from commits on the calling thread. The contract holds for
// both.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { InvariantViolation } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { NewLogs } from "../../src/store/step-logs.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { bundleProgram } from "../bundled-program.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SqliteStoreOptions } from "../../src/store/sqlite/sqlite-store-parts.ts";
import { WRITER_PARTS } from "../../src/store/sqlite/writer-choice.ts";
import { readBlocks, expectAt, loaded, refusal, refused } from "./contract/claim.ts";
import { append, at, batch, toId, message } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const PROCESS = bundleProgram(fileURLToPath(new URL("store-process.ts", import.meta.url)));

/** A store, with access to its workers; those in `first` come before real ones. */
interface Held {
  readonly store: SqliteStore;
  readonly file: string;
  readonly workers: Worker[];
}

async function openHeld(first: (() => Worker)[] = [], options: SqliteStoreOptions = {}): Promise<Held> {
  const file = scratch.file();
  const workers: Worker[] = [];
  const workerStarter: typeof WRITER_PARTS.workerStarter = (...where) => {
    const start = WRITER_PARTS.workerStarter(...where);
    return () => {
      const worker = (first.shift() ?? start)();
      workers.push(worker);
      return worker;
    };
  };
  const parts = { ...WRITER_PARTS, workerStarter };
  const store = scratch.closing(await openSqliteStore(file, { writer: "thread", ...options }, parts));
  return { store, file, workers };
}

/** Another connection that keeps a write transaction open until it is closed. */
function lock(file: string): { close(): void } {
  const database = new DatabaseSync(file);
  database.exec("BEGIN IMMEDIATE");
  return scratch.closing({ close: () => database.isOpen && database.close() });
}

function readContent(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = ["meta", "journal", "executions"].map((table) => database.prepare(`SELECT * FROM ${table}`).all());
  database.close();
  return tables;
}

const appends = (id: string, from: number, count: number): ReturnType<typeof append>[] =>
  Array.from({ length: count }, (_, index) => append(id, from + 2 * index));

describe("commits on a writer thread", () => {
  it("K1 JOURNAL-5 are durable when they resolve, and happen and are answered in the order of calls", async () => {
    const { store, file, workers } = await openHeld();
    const reader = scratch.closing(await openSqliteStore(file, { readOnly: true }));
    const answered: number[] = [];
    const commits = appends("a", 0, 300).map(async (one, index) => {
      await store.commit(batch(one));
      expect((await loaded(reader, "a")).projection.seq).toBeGreaterThanOrEqual(2 * index + 2);
      answered.push(index);
    });
    await Promise.all(commits);
    expect(answered).toEqual(commits.map((_, index) => index));
    await expectAt(store, "a", 600);
    expect(workers).toHaveLength(1);
  });

  it("K8 say what was refused of a batch", async () => {
    const { store } = await openHeld();
    await store.commit(batch(append("a", 0), append("b", 0)));
    const call = store.commit({ appends: [append("a", 0), append("b", 2), append("c", 4)], consumedMessages: [77] });
    await expect(call).rejects.toBeInstanceOf(StoreFault);
    await expect(call).rejects.toThrow(/execution a: .* follows sequence 0.*; nothing of the batch was written/u);
    expect(await refusal(call)).toBe("STORE_FENCED");
    expect(await refused(call)).toEqual({ executions: ["a", "c"], messages: [77] });
  });

  it("F2 that contradict themselves are told apart from faults, as bugs", async () => {
    const { store } = await openHeld();
    const wrong = { ...append("a", 0), epoch: 0.5 };
    const error = await store.commit(batch(wrong)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InvariantViolation);
    expect(error).toMatchObject({ invariant: "F2", message: /^F2: an epoch/u });
    const bound = append("a", 0, { projection: { workflow: {} as string } });
    await expect(store.commit(batch(bound))).rejects.toBeInstanceOf(TypeError);
    const sent = append("a", 0, { projection: { workflow: (() => "") as never } });
    await expect(store.commit(batch(sent))).rejects.toThrow(/could not be cloned/u);
    await store.commit(batch(append("a", 0)));
    await expectAt(store, "a", 2);
  });

  it("LEASE-5 take messages that the calling thread knew, and it knows them no more", async () => {
    const { store } = await openHeld();
    const id = await store.post(message("a", "start"));
    expect((await store.poll()).messages).toHaveLength(1);
    await store.commit({ appends: [append("a", 0)], consumedMessages: [id] });
    expect((await store.poll()).messages).toEqual([]);
  });

  it("W2 see what is administered on the calling thread in between", async () => {
    const { store } = await openHeld();
    await store.commit(batch(append("a", 0), append("b", 0)));
    await store.commit(batch(append("a", 2)));
    await store.quarantine(toId("a"), "set aside");
    expect(await refusal(store.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
    await store.commit(batch(append("b", 2)));
    await store.remove(toId("b"));
    expect(await refusal(store.commit(batch(append("b", 4))))).toBe("STORE_FENCED");
    await store.commit(batch(append("b", 0)));
    expect(await readBlocks(store, "b")).toHaveLength(1);
    expect(await store.removeEnded(at(9000), 5)).toBe(0);
  });
});

describe("a slow commit on a writer thread", () => {
  it("lets the event loop turn, and reads are answered meanwhile", async () => {
    const { store, file } = await openHeld();
    await store.commit(batch(append("a", 0)));
    const other = lock(file);
    let isDone = false;
    const slow = store.commit(batch(append("a", 2))).then(() => (isDone = true));
    for (let turns = 0; turns < 2000; turns++) await setImmediate();
    await expectAt(store, "a", 2);
    expect(isDone).toBe(false);
    other.close();
    await slow;
    await expectAt(store, "a", 4);
  });

  it("that waits too long for another writer says STORE_BUSY, and the next one works", async () => {
    const { store, file, workers } = await openHeld([], { busyTimeoutMs: 10 });
    await store.commit(batch(append("a", 0)));
    const other = lock(file);
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_BUSY");
    other.close();
    await store.commit(batch(append("a", 2)));
    expect(workers).toHaveLength(1);
  });

  it("is waited for when the store is closed, and no log is left", async () => {
    const { store, file } = await openHeld();
    await store.commit(batch(append("a", 0)));
    const other = lock(file);
    const slow = [2, 4, 6].map((after) => store.commit(batch(append("a", after))));
    const closed = [store.close(), store.close()];
    expect(await refusal(store.commit(batch(append("a", 8))))).toBe("STORE_CLOSED");
    other.close();
    await Promise.all([...slow, ...closed]);
    expect(existsSync(`${file}-wal`)).toBe(false);
    await expectAt(scratch.closing(await openSqliteStore(file)), "a", 8);
  });
});

describe("logs and processes on a writer thread", () => {
  const logs = (text: string): NewLogs[] => [
    { execution: toId("a"), lines: [{ step: "s", attempt: 1, stream: "stdout", at: at(0), text }] },
  ];

  it("are written in order with the commits, and the event loop turns while another holds the file", async () => {
    const { store, file, workers } = await openHeld();
    const other = lock(file);
    const done: string[] = [];
    const writes = [
      store.commit(batch(append("a", 0))).then(() => done.push("commit")),
      store.appendLogs(logs("one")).then(() => done.push("logs")),
      store.noteProcess({ marker: "m", pid: 1, startTime: "1" }).then(() => done.push("note")),
      store.forgetProcess("m").then(() => done.push("forget")),
    ];
    for (let turns = 0; turns < 200; turns++) await setImmediate();
    expect(done).toEqual([]);
    other.close();
    await Promise.all(writes);
    expect(done).toEqual(["commit", "logs", "note", "forget"]);
    expect(await store.readLogs({ execution: toId("a"), limit: 9 })).toMatchObject([{ text: "one" }]);
    expect([await store.processes(), workers.length]).toEqual([[], 1]);
  });

  it("O5 reject where they cannot be written, and the next ones are", async () => {
    const { store, file } = await openHeld([], { busyTimeoutMs: 10 });
    await store.commit(batch(append("a", 0)));
    const other = lock(file);
    expect(await refusal(store.appendLogs(logs("lost")))).toBe("STORE_BUSY");
    expect(await refusal(store.noteProcess({ marker: "m", pid: 1, startTime: "1" }))).toBe("STORE_BUSY");
    other.close();
    await store.appendLogs(logs("kept"));
    await store.commit(batch(append("a", 2)));
    expect(await store.readLogs({ execution: toId("a"), limit: 9 })).toMatchObject([{ text: "kept" }]);
    await expectAt(store, "a", 4);
  });
});

describe("a writer thread that dies", () => {
  it("K4 rejects what is outstanding with STORE_IO, and the next commit starts another", async () => {
    const { store, file, workers } = await openHeld();
    await store.commit(batch(append("a", 0)));
    const other = lock(file);
    const outstanding = appends("a", 2, 3).map((one) => refusal(store.commit(batch(one))));
    const gone = workers[0]!.terminate();
    other.close();
    await gone;
    for (const code of await Promise.all(outstanding)) expect(["STORE_IO", "accepted"]).toContain(code);
    const { seq } = (await loaded(store, "a")).projection;
    await store.commit(batch(append("a", seq)));
    await expectAt(store, "a", seq + 2);
    expect(workers).toHaveLength(2);
  });

  it("JOURNAL-3 loses nothing that was acknowledged, wherever it was", async () => {
    const { store, workers } = await openHeld([], { durability: "relaxed" });
    let seq = 0;
    let lost = 0;
    for (let round = 0; round < 12; round++) {
      let acknowledged = seq;
      const answers = appends("a", seq, 60).map(async (one, index) => {
        const code = await refusal(store.commit(batch(one, append(`b${round}-${index}`, 0))));
        if (code === "accepted") acknowledged = one.projection.seq;
        else lost += 1;
        if (index === 4 * round) await workers.at(-1)?.terminate();
        return code;
      });
      for (const code of await Promise.all(answers)) expect(["accepted", "STORE_IO"]).toContain(code);
      ({ seq } = (await loaded(store, "a")).projection);
      expect(seq).toBeGreaterThanOrEqual(acknowledged);
      await expectAt(store, "a", seq);
    }
    expect([workers.length, lost > 0]).toEqual([12, true]);
  });

  it("K7 by an error, or cannot be started, says why, and the store goes on", async () => {
    const broken = (): Worker => new Worker("throw new Error('out of order')", { eval: true });
    const none = (): Worker => {
      throw new Error("no more threads");
    };
    const { store } = await openHeld([broken, none]);
    await expect(store.commit(batch(append("a", 0)))).rejects.toMatchObject({
      code: "STORE_IO",
      message: /out of order/u,
    });
    await expect(store.commit(batch(append("a", 0)))).rejects.toMatchObject({ code: "STORE_IO", message: /no more/u });
    await store.commit(batch(append("a", 0)));
    await expectAt(store, "a", 2);
  });
});

describe("where a store commits", () => {
  const cases: readonly [claim: string, options: SqliteStoreOptions, costMs: number, threads: number][] = [
    ["on the calling thread when a commit is fast", {}, 1.9, 0],
    ["on a thread when a commit takes more than 2 ms", {}, 2.1, 1],
    ["on the calling thread when it is told to", { writer: "main" }, 50, 0],
    ["on a thread when it is told to", { writer: "thread" }, 0.1, 1],
    ["on the calling thread when it is relaxed", { durability: "relaxed" }, 50, 0],
    ["on a thread when it is relaxed, slow, and told to measure", { durability: "relaxed", writer: "auto" }, 50, 1],
  ];
  for (const [claim, options, costMs, threads] of cases)
    it(`is ${claim}`, async () => {
      let started = 0;
      const parts: typeof WRITER_PARTS = {
        commitCostMs: () => costMs,
        workerStarter: (...where) => (started++, WRITER_PARTS.workerStarter(...where)),
      };
      const store = scratch.closing(await openSqliteStore(scratch.file(), options, parts));
      await store.commit(batch(append("a", 0)));
      await expectAt(store, "a", 2);
      expect(started).toBe(threads);
    });

  it("is measured by commits that nobody has to wait for, and that leave nothing behind", async () => {
    const file = scratch.file();
    const store = scratch.closing(await openSqliteStore(file, { writer: "main" }));
    await store.commit(batch(append("a", 0)));
    const before = readContent(file);
    const costMs = WRITER_PARTS.commitCostMs(file, {});
    expect([costMs > 0, Number.isFinite(costMs)]).toEqual([true, true]);
    expect(readContent(file)).toEqual(before);
    const other = lock(file);
    expect(WRITER_PARTS.commitCostMs(file, {})).toBe(0);
    other.close();
    await expectAt(store, "a", 2);
  });
});

describe("a process with a writer thread", () => {
  for (const [claim, argument] of [
    ["whose store was closed", "close"],
    ["whose store is idle, though nobody closed it,", "leave"],
  ] as const)
    it(`${claim} ends by itself`, async () => {
      const file = scratch.file();
      const child = spawn(process.execPath, [PROCESS, "thread", file, argument], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      expect(await once(child, "exit")).toEqual([0, null]);
      await expectAt(scratch.closing(await openSqliteStore(file)), "a", 2);
    });
});
