import { expect } from "vitest";
import type { LogLine, LogRequest, StoredLine } from "../../../src/store/step-logs.ts";
import type { StepProgress } from "../../../src/store/step-progress.ts";
import type { Claims, ContractStore } from "./claim.ts";
import { append, at, batch, toId } from "./sample.ts";

const line = (text: string, change: Partial<LogLine> = {}): LogLine => ({
  step: "build",
  attempt: 1,
  stream: "stdout",
  at: at(0),
  text,
  ...change,
});

const add = (store: ContractStore, id: string, ...lines: readonly LogLine[]): Promise<void> =>
  store.appendLogs([{ execution: toId(id), lines }]);

async function read(
  store: ContractStore,
  id: string,
  change: Partial<LogRequest> = {},
): Promise<readonly StoredLine[]> {
  return store.readLogs({ execution: toId(id), limit: 1_000_000, ...change });
}

async function texts(store: ContractStore, id: string, change: Partial<LogRequest> = {}): Promise<string[]> {
  return (await read(store, id, change)).map(({ text }) => text);
}

/** All lines, `limit` at a time. */
async function paged(store: ContractStore, id: string, limit: number, step?: string): Promise<string[]> {
  const found: StoredLine[] = [];
  const wanted = step === undefined ? {} : { step };
  for (;;) {
    const after = found.at(-1)?.seq;
    const page = await read(store, id, { limit, ...wanted, ...(after === undefined ? {} : { after }) });
    expect(page.length).toBeLessThanOrEqual(limit);
    if (page.length === 0) return found.map(({ text }) => text);
    found.push(...page);
  }
}

const rising = (lines: readonly StoredLine[]): boolean =>
  lines.every(({ seq }, index) => Number.isSafeInteger(seq) && seq > (lines[index - 1]?.seq ?? 0));

const HOSTILE: readonly string[] = [
  "",
  "\u0000",
  "before\u0000after",
  "half \uD83D of a pair",
  "\uDE00\uD83D the wrong way round",
  "\uFEFFmark",
  "\uFFFE\uFFFF",
  "😀 e\u0301",
  '"quoted\\" \' ; DROP TABLE journal; --',
  "a\nb\r\nc\u2028\u2029",
  "\u001B[31mred\u001B[0m",
  "x".repeat(1024 * 1024),
  "\u0000é😀".repeat(100_000),
];

const READING_CLAIMS: Claims = {
  "O2 P1 a step has its latest progress, until its logs, its payloads or its execution are removed": async ({
    store,
  }) => {
    await store.commit(batch(append("a", 0), append("b", 0)));
    const progress = (step: string, fraction: number): StepProgress => {
      return { step, attempt: 1, epoch: 1, at: at(0), fraction, message: "half \u0000 é" };
    };
    const put = (id: string, ...rows: readonly StepProgress[]): Promise<void> =>
      store.appendLogs([{ execution: toId(id), lines: [], progress: rows }]);
    await put("a", progress("test", 0.1), progress("build", 0.2));
    await put("a", progress("test", 0.3));
    await put("b", progress("test", 1));
    await put("nobody", progress("test", 1));
    expect(await store.readProgress(toId("a"))).toEqual([progress("build", 0.2), progress("test", 0.3)]);
    expect(await store.readProgress(toId("nobody"))).toEqual([]);
    await store.removePayloads(toId("a"), (body) => body, at(1));
    expect(await store.readProgress(toId("a"))).toEqual([]);
    expect(await store.remove(toId("b"))).toBe(true);
    await store.commit(batch(append("b", 0)));
    expect(await store.readProgress(toId("b"))).toEqual([]);
  },

  "O1 lines come back as they were appended, in their order, with numbers that rise": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const first = [line("one"), line("two", { stream: "stderr", at: at(5) }), line("", { step: "test", attempt: 3 })];
    const second = [
      line("four", { stream: "log" }),
      line("", { cut: { kind: "line", bytes: 9 } }),
      line("", { cut: { kind: "attempt", bytes: 2 ** 40 }, at: at(7) }),
      line("", { cut: { kind: "lost", bytes: 1 } }),
      line("eight"),
      line("nine"),
      line("a moment later", { at: at(1) }),
    ];
    await add(store, "a", ...first);
    await add(store, "a");
    await add(store, "a", ...second);
    const found = await read(store, "a");
    expect(found).toEqual([...first, ...second].map((one, index) => ({ ...one, seq: found[index]?.seq })));
    expect(rising(found)).toBe(true);
  },

  "O1 pages of any size give every line once, from any line on": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const names = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    for (let first = 0; first < names.length; first += 23)
      await add(store, "a", ...names.slice(first, first + 23).map((text) => line(text)));
    for (const limit of [1, 7, 23, 199, 200, 201])
      expect([limit, await paged(store, "a", limit)]).toEqual([limit, names]);
    const all = await read(store, "a");
    for (const from of [0, 22, 23, 100, 198, 199])
      expect(await texts(store, "a", { after: all[from]!.seq })).toEqual(names.slice(from + 1));
    expect(await read(store, "a", { after: all.at(-1)!.seq + 1000 })).toEqual([]);
    expect(await read(store, "a", { limit: 0 })).toEqual([]);
  },

  "a step's lines can be asked for, whoever wrote between them": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const steps = ["build", "test", "build", "lint"];
    const mixed = Array.from({ length: 60 }, (_, index) => line(`m${index}`, { step: steps[index % 4]! }));
    await add(store, "a", ...mixed);
    await add(store, "a", line("alone", { step: "test" }), line("alone again", { step: "test" }));
    await add(store, "a", line("last", { step: "lint" }));
    const build = mixed.filter(({ step }) => step === "build").map(({ text }) => text);
    expect(await texts(store, "a", { step: "build" })).toEqual(build);
    expect(await paged(store, "a", 4, "build")).toEqual(build);
    const test = mixed.filter(({ step }) => step === "test").map(({ text }) => text);
    expect(await texts(store, "a", { step: "test" })).toEqual([...test, "alone", "alone again"]);
    expect(await texts(store, "a", { step: "nobody" })).toEqual([]);
  },

  "any text is kept to the letter, also a line of a megabyte": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    for (const text of HOSTILE) await add(store, "a", line(text));
    await add(store, "a", ...HOSTILE.map((text) => line(text)));
    // Compared one by one: a failing comparison of megabytes would be printed in full.
    const found = await texts(store, "a");
    expect(found.length).toBe(2 * HOSTILE.length);
    for (const [index, text] of found.entries())
      expect([index, text === HOSTILE[index % HOSTILE.length]]).toEqual([index, true]);
    expect(await read(store, "a", { limit: 1, after: 3 })).toHaveLength(1);
  },

  "DATA-11 what was written passes through the codec": async (_, open) => {
    const reversed = (body: string): string => body.split("").toReversed().join("");
    const seen: string[] = [];
    const decode = (body: string): string => (seen.push(body), reversed(body));
    const { store } = await open({ codec: { encode: reversed, decode } });
    await store.commit(batch(append("a", 0)));
    await add(store, "a", line("readable"));
    expect(await texts(store, "a")).toEqual(["readable"]);
    expect(seen.join("")).toMatch(/elbadaer/u);
  },
};

const BELONGING_CLAIMS: Claims = {
  "lines belong to their execution, also when several write at once": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const ids = ["a", "b", "c"];
    await store.commit(batch(...ids.map((id) => append(id, 0))));
    const rounds = Array.from({ length: 12 }, (_, round) => round);
    for (const round of rounds)
      await Promise.all([
        store.appendLogs(ids.map((id) => ({ execution: toId(id), lines: [line(`${id} ${round}`)] }))),
        add(other, "a", line("a other", { step: "other" })),
      ]);
    for (const id of ids) {
      expect(await texts(other, id, { step: "build" })).toEqual(rounds.map((round) => `${id} ${round}`));
      expect(rising(await read(store, id))).toBe(true);
    }
    expect(await texts(store, "a", { step: "other" })).toHaveLength(12);
  },

  "O4 lines of an execution that is not there are passed over, and those beside them are kept": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const [known, unknown] = [toId("a"), toId("nobody")];
    await store.appendLogs([
      { execution: unknown, lines: [line("lost")] },
      { execution: known, lines: [line("kept")] },
    ]);
    expect(await texts(store, "a")).toEqual(["kept"]);
    expect(await texts(store, "nobody")).toEqual([]);
    await store.commit(batch(append("nobody", 0)));
    expect(await texts(store, "nobody")).toEqual([]);
  },

  "O2 JOURNAL-7 logs go with their execution, and no other's": async ({ store }) => {
    const ended = append("b", 0, { projection: { status: "completed", updatedAt: at(1) } });
    await store.commit(batch(append("a", 0), ended, append("c", 0)));
    for (const id of ["a", "b", "c"]) await add(store, id, line(`of ${id}`));
    await store.remove(toId("a"));
    expect(await store.removeEnded(at(5), 10)).toBe(1);
    await store.commit(batch(append("a", 0), append("b", 0)));
    expect([await texts(store, "a"), await texts(store, "b"), await texts(store, "c")]).toEqual([[], [], ["of c"]]);
    const { seq } = (await read(store, "c"))[0]!;
    await add(store, "a", line("new"));
    expect(await texts(store, "a", { after: seq })).toEqual(["new"]);
  },

  "O2 DATA-11 logs go with the payloads; those of what was set aside stay": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("b", 0)));
    for (const id of ["a", "b"]) await add(store, id, line(`of ${id}`));
    await store.removePayloads(toId("a"), String, at(9));
    await store.quarantine(toId("b"), "broken");
    expect([await texts(store, "a"), await texts(store, "b")]).toEqual([[], ["of b"]]);
  },

  "logs are removed when their execution ended long enough ago, as many as asked for": async ({ store }) => {
    const ends = [
      ["a", "completed", 10],
      ["b", "failed", 20],
      ["c", "cancelled", 30],
      ["d", "running", 1],
      ["e", "completed", 40],
      ["f", "completed", 1],
    ] as const;
    for (const [id, status, updatedAt] of ends)
      await store.commit(batch(append(id, 0, { projection: { status, updatedAt: at(updatedAt) } })));
    for (const id of ["a", "b", "c", "d", "e"]) await add(store, id, line("one"), line("two"));
    const last = (await read(store, "e")).at(-1)!.seq;
    expect(await store.removeLogs(at(10))).toBe(0);
    expect(await store.removeLogs(at(40), 2)).toBe(2);
    expect([await store.removeLogs(at(40)), await store.removeLogs(at(40))]).toEqual([1, 0]);
    const left = await Promise.all(ends.map(([id]) => texts(store, id)));
    expect(left.map(({ length }) => length)).toEqual([0, 0, 0, 2, 2, 0]);
    expect(await store.removeLogs(at(41))).toBe(1);
    await add(store, "e", line("after a retry"));
    expect(await texts(store, "e", { after: last })).toEqual(["after a retry"]);
    expect((await store.find({ limit: 9 })).executions).toHaveLength(6);
  },
};

export const LOG_CLAIMS: Claims = { ...READING_CLAIMS, ...BELONGING_CLAIMS };
