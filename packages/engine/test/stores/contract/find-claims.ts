import { expect } from "vitest";
import { found, refusal, type Claims } from "./claim.ts";
import { append, at, batch, hashText, toId } from "./sample.ts";

export const FIND_CLAIMS: Claims = {
  "executions are listed in the order of their creation": async ({ store }) => {
    for (const id of ["z", "a", "m"]) await store.commit(batch(append(id, 0)));
    await store.commit(batch(append("z", 2, { projection: { status: "completed" } })));
    expect(await found(store)).toEqual(["z", "a", "m"]);
  },

  "each filter narrows, and all of them together": async ({ store }) => {
    await store.commit(
      batch(
        append("a", 0, { projection: { workflow: "w", status: "running", wakeAt: at(10) } }),
        append("b", 0, { projection: { workflow: "w", status: "paused", wakeAt: at(20) } }),
        append("c", 0, { projection: { workflow: "v", status: "running", correlationId: "about a" } }),
        append("d", 0, { projection: { workflow: "w", status: "completed" } }),
      ),
    );
    expect(await found(store, { status: ["running"] })).toEqual(["a", "c"]);
    expect(await found(store, { status: ["completed", "paused"] })).toEqual(["b", "d"]);
    expect(await found(store, { status: [] })).toEqual([]);
    expect(await found(store, { workflow: "w" })).toEqual(["a", "b", "d"]);
    expect(await found(store, { correlationId: "about a" })).toEqual(["a", "c"]);
    expect(await found(store, { dueBy: at(9) })).toEqual([]);
    expect(await found(store, { dueBy: at(10) })).toEqual(["a"]);
    expect(await found(store, { dueBy: at(20) })).toEqual(["a", "b"]);
    expect(await found(store, { workflow: "w", status: ["paused", "running"], dueBy: at(99) })).toEqual(["a", "b"]);
    expect(await found(store, { workflow: "w", correlationId: "about a", status: ["running"] })).toEqual(["a"]);
  },

  "executions are found by their time of creation, their labels and their texts": async ({ store }) => {
    const failure = "the Printer is on fire";
    await store.commit(
      batch(
        append("one", 0, { projection: { createdAt: at(10), labels: "\nteam=a\n", workflow: "print" } }),
        append("two", 0, { projection: { createdAt: at(20), labels: "\nregion=eu\nteam=a\n", workflow: "copy" } }),
        append("three", 0, { projection: { createdAt: at(30), status: "failed", failure, toleratedFailures: 3 } }),
      ),
    );
    expect(await found(store, { since: at(20) })).toEqual(["two", "three"]);
    expect(await found(store, { until: at(20) })).toEqual(["one"]);
    expect(await found(store, { since: at(11), until: at(30) })).toEqual(["two"]);
    expect(await found(store, { labels: ["\nteam=a\n"] })).toEqual(["one", "two"]);
    expect(await found(store, { labels: ["\nteam=a\n", "\nregion=eu\n"] })).toEqual(["two"]);
    expect(await found(store, { labels: ["\nteam=\n"] })).toEqual([]);
    expect(await found(store, { text: "PRINT" })).toEqual(["one", "three"]);
    expect(await found(store, { text: "two" })).toEqual(["two"]);
    expect(await found(store, { text: "print", status: ["failed"], since: at(30) })).toEqual(["three"]);
    const [summary] = (await store.find({ limit: 1, text: "fire" })).executions;
    expect(summary?.projection).toMatchObject({ failure, toleratedFailures: 3 });
    await store.commit(batch(append("three", 2, { projection: { createdAt: at(30), status: "running" } })));
    expect(await found(store, { text: "fire" })).toEqual([]);
  },

  "what is due follows every append": async ({ store }) => {
    const wakes = [at(10), at(50), at(30), null, at(20), null];
    for (const [index, wakeAt] of wakes.entries()) {
      await store.commit(batch(append("a", 2 * index, { projection: { wakeAt } })));
      for (const moment of [5, 10, 20, 30, 50])
        expect([index, moment, await found(store, { dueBy: at(moment) })]).toEqual([
          index,
          moment,
          wakeAt !== null && wakeAt <= at(moment) ? ["a"] : [],
        ]);
    }
  },

  "IDEM-1 a key gives the newest execution that was started with it": async ({ store }) => {
    const entry = { key: "k", payload: hashText("input") };
    await store.commit(batch(append("a", 0, { idempotency: entry, projection: { status: "failed" } })));
    await store.commit(batch(append("b", 0, { idempotency: entry, previousWithKey: toId("a") })));
    await store.commit(batch(append("c", 0, { idempotency: { ...entry, key: "other" } })));
    await store.commit(batch(append("b", 2)));
    const page = await store.find({ idempotencyKey: "k", limit: 10 });
    expect(page.executions.map(({ id, idempotency }) => [id, idempotency])).toEqual([["b", entry]]);
    expect(await found(store, { idempotencyKey: "none" })).toEqual([]);
    expect(await found(store, { idempotencyKey: "k", status: ["failed"] })).toEqual([]);
  },

  "HTTP-5 pages follow each other, and what is created meanwhile comes last": async ({ store }) => {
    const ids = Array.from({ length: 25 }, (_, index) => `e${index}`);
    await store.commit(batch(...ids.map((id) => append(id, 0))));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.find({ limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.executions.map(({ id }) => id));
      if (cursor === undefined) await store.commit(batch(append("late", 0), append("e3", 2)));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(seen).toEqual([...ids, "late"]);
  },

  "a full last page has no cursor, and a page of a filter goes on where it ended": async ({ store }) => {
    const appends = ["a", "b", "c", "d"].map((id, index) =>
      append(id, 0, { projection: { workflow: `w${index % 2}` } }),
    );
    await store.commit(batch(...appends));
    expect((await store.find({ limit: 4 })).cursor).toBeUndefined();
    const first = await store.find({ limit: 1, workflow: "w1" });
    expect(first.executions.map(({ id }) => id)).toEqual(["b"]);
    expect(await found(store, { workflow: "w1", cursor: first.cursor! })).toEqual(["d"]);
  },

  "a cursor that no page gave is refused": async ({ store }) => {
    for (const cursor of ["", "x", "-1", "1; DROP TABLE executions", "9".repeat(40)])
      expect([cursor, await refusal(store.find({ limit: 1, cursor }))]).toEqual([cursor, "CURSOR_INVALID"]);
  },
};
