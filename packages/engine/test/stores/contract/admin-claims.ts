import type { ExecutionStatus } from "@segno/kernel";
import { expect } from "vitest";
import type { Append } from "../../../src/store/store.ts";
import { readBlocks, expectAt, found, loaded, refusal, type Claims } from "./claim.ts";
import { append, at, batch, blockless, content, hashText, toId, message } from "./sample.ts";

const ended = (id: string, status: ExecutionStatus, updatedAt: number): Append =>
  append(id, 0, { projection: { status, updatedAt: at(updatedAt) } });

const redact = (body: string): string => body.replaceAll("a secret", "…");

export const ADMIN_CLAIMS: Claims = {
  "JOURNAL-6 a quarantined execution is listed with its reason, not loaded, not due and not written": async ({
    store,
  }) => {
    await store.commit(batch(append("a", 0, { projection: { wakeAt: at(1) } }), append("b", 0)));
    await store.commit(batch(append("a", 2, { projection: { wakeAt: at(1) } })));
    await store.quarantine(toId("a"), "the third row is not JSON");
    expect(await store.load(toId("a"))).toMatchObject({ kind: "unreadable", id: "a", reason: /third row/u });
    const summary = (await store.find({ limit: 1 })).executions[0];
    expect([summary?.id, summary?.quarantined]).toEqual(["a", "the third row is not JSON"]);
    expect(await found(store, { dueBy: at(100) })).toEqual([]);
    expect(await refusal(store.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
    await store.commit(batch(append("b", 2)));
    await expectAt(store, "b", 4);
    await store.quarantine(toId("nobody"), "is not there");
  },

  "JOURNAL-7 ended executions are removed when they are old enough, the oldest first, as many as asked for": async ({
    store,
  }) => {
    await store.commit(batch(ended("a", "completed", 10), ended("b", "failed", 20), ended("c", "cancelled", 30)));
    await store.commit(batch(ended("d", "running", 5), ended("e", "completed", 40)));
    expect(await store.removeEnded(at(10), 10)).toBe(0);
    expect(await store.removeEnded(at(35), 2)).toBe(2);
    expect(await found(store)).toEqual(["c", "d", "e"]);
    await store.commit(batch(ended("f", "failed", 1)));
    expect(await store.removeEnded(at(35), 1)).toBe(1);
    expect(await found(store)).toEqual(["c", "d", "e"]);
    expect(await store.removeEnded(at(35), 10)).toBe(1);
    expect(await found(store)).toEqual(["d", "e"]);
    await expectAt(store, "e", 2);
  },

  "JOURNAL-7 a removed execution is gone with all that was its own, and its id is free": async ({ store }) => {
    const value = content("secret");
    await store.commit(batch(append("a", 0, { values: [value], idempotency: { key: "k", payload: value.hash } })));
    await store.commit(batch(append("b", 0, { values: [value] }), append("a", 2)));
    await store.post(message("a", "for a"));
    await store.post(message("b", "for b"));
    expect(await store.remove(toId("a"))).toBe(true);
    expect(await store.remove(toId("a"))).toBe(false);
    expect(await store.load(toId("a"))).toBeUndefined();
    expect(await found(store, { idempotencyKey: "k" })).toEqual([]);
    expect((await store.poll()).messages.map(({ body }) => body)).toEqual(["for b"]);
    expect(await refusal(store.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
    await store.commit(batch(append("a", 0), append("b", 2)));
    expect(await store.contents({ kind: "values", execution: toId("a"), hashes: [value.hash] })).toEqual(new Map());
    expect(await store.contents({ kind: "values", execution: toId("b"), hashes: [value.hash] })).toHaveProperty(
      "size",
      1,
    );
    await expectAt(store, "a", 2);
    await expectAt(store, "b", 4);
  },

  "DATA-11 payloads can be removed while the hashes of the journal stay": async ({ store }) => {
    const value = content("a secret");
    await store.commit(
      batch(append("a", 0, { body: "says a secret", values: [value] }), append("b", 0, { body: "a secret" })),
    );
    await store.commit(batch(append("a", 2, { body: "nothing" })));
    const before = await loaded(store, "a");
    expect(await store.removePayloads(toId("a"), redact, at(9))).toBe(true);
    expect(await store.removePayloads(toId("nobody"), redact, at(9))).toBe(false);
    const after = await loaded(store, "a");
    expect(after.blocks.map(({ body }) => body)).toEqual(["says …", "nothing"]);
    expect(after.blocks.map(({ hash }) => hash)).toEqual(before.blocks.map(({ hash }) => hash));
    expect(after.projection).toEqual(before.projection);
    expect(await store.contents({ kind: "values", execution: toId("a"), hashes: [value.hash] })).toEqual(new Map());
    expect((await readBlocks(store, "b"))[0]?.body).toBe("a secret");
  },

  "DATA-11 the time at which payloads were removed stays, and nothing is appended from then on": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("b", 0)));
    await store.removePayloads(toId("a"), String, at(9));
    await store.removePayloads(toId("a"), String, at(10));
    expect(await store.load(toId("a"))).toMatchObject({ kind: "execution", payloadsRemovedAt: at(9) });
    const { executions } = await store.find({ limit: 9 });
    expect(executions.map(({ payloadsRemovedAt }) => payloadsRemovedAt)).toEqual([at(9), undefined]);
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_FENCED");
    expect(await refusal(store.commit(batch(blockless("a", 2))))).toBe("STORE_FENCED");
    await store.commit(batch(append("b", 2)));
  },

  "DATA-11 an append may bring the time at which payloads were removed, as an import does": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("a", 2, { payloadsRemovedAt: at(9) })));
    expect(await store.load(toId("a"))).toMatchObject({ kind: "execution", payloadsRemovedAt: at(9) });
    expect(await refusal(store.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
  },

  "JOURNAL-6 a quarantine that is lifted leaves the execution as it was": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("a", 2)));
    const before = await loaded(store, "a");
    expect(await store.release(toId("a"))).toBe(false);
    await store.quarantine(toId("a"), "an exception");
    expect(await store.examine(toId("a"))).toMatchObject({ blocks: before.blocks, quarantined: "an exception" });
    expect(await store.release(toId("a"))).toBe(true);
    expect(await loaded(store, "a")).toEqual(before);
    await store.commit(batch(append("a", 4)));
    await expectAt(store, "a", 6);
    expect(await store.release(toId("nobody"))).toBe(false);
    expect(await store.examine(toId("nobody"))).toBeUndefined();
  },

  "IDEM-1 IDEM-3 keys of failed, cancelled and old executions are forgotten, the others stay": async ({ store }) => {
    const cases = [
      ["failed", 100],
      ["cancelled", 100],
      ["completed", 49],
      ["completed", 50],
      ["running", 1],
    ] as const;
    for (const [index, [status, updatedAt]] of cases.entries())
      await store.commit(
        batch(
          append(`e${index}`, 0, {
            projection: { status, updatedAt: at(updatedAt) },
            idempotency: { key: `k${index}`, payload: hashText("p") },
          }),
        ),
      );
    expect(await store.sweepKeys(at(50))).toBe(3);
    expect(await store.sweepKeys(at(50))).toBe(0);
    const kept = await Promise.all(cases.map((_, index) => found(store, { idempotencyKey: `k${index}` })));
    expect(kept).toEqual([[], [], [], ["e3"], ["e4"]]);
    expect(await found(store)).toHaveLength(5);
  },

  "a closed store says so, whatever it is asked": async ({ store }) => {
    await store.close();
    await store.close();
    const calls = [
      store.commit(batch(append("a", 0))),
      store.load(toId("a")),
      store.contents({ kind: "definitions", hashes: [] }),
      store.find({ limit: 1 }),
      store.post(message("a", "")),
      store.poll(),
      store.quarantine(toId("a"), ""),
      store.release(toId("a")),
      store.examine(toId("a")),
      store.removeEnded(at(0), 1),
      store.remove(toId("a")),
      store.removePayloads(toId("a"), String, at(9)),
      store.sweepKeys(at(0)),
      store.appendLogs([]),
      store.readLogs({ execution: toId("a"), limit: 1 }),
      store.removeLogs(at(0)),
      store.noteProcess({ marker: "m", pid: 1, startTime: "1" }),
      store.forgetProcess("m"),
      store.processes(),
    ];
    expect(new Set(await Promise.all(calls.map(refusal)))).toEqual(new Set(["STORE_CLOSED"]));
  },
};
