import type { EpochMs } from "@segno/kernel";
import { expect } from "vitest";
import type { Append } from "../../../src/store/store.ts";
import { readBlocks, expectAt, found, loaded, refusal, refused, type Claims } from "./claim.ts";
import { append, at, batch, blockless, content, hashText, toId, message } from "./sample.ts";

export const COMMIT_CLAIMS: Claims = {
  "JOURNAL-4 what was appended is loaded, in order and without gaps": async ({ store }) => {
    const appends = [0, 2, 4].map((after) => append("a", after, { body: `after ${after}` }));
    for (const one of appends) await store.commit(batch(one));
    expect(await loaded(store, "a")).toEqual({
      kind: "execution",
      id: "a",
      epoch: 1,
      projection: appends[2]?.projection,
      blocks: appends.map(({ block }) => block),
    });
  },

  "JOURNAL-4 the last block comes alone, with the hash that it links to": async ({ store }) => {
    expect(await store.loadLast(toId("a"))).toBeUndefined();
    const appends = [0, 2, 4].map((after) => append("a", after));
    for (const [index, one] of appends.entries()) {
      await store.commit(batch(one, append("beside", index * 2)));
      const previousHash = appends[index - 1]?.block?.hash ?? "";
      expect(await store.loadLast(toId("a"))).toEqual({ projection: one.projection, block: one.block, previousHash });
    }
    await store.quarantine(toId("a"), "damaged");
    expect(await store.loadLast(toId("a"))).toBeUndefined();
  },

  "an execution that was never created is not there": async ({ store }) => {
    expect(await store.load(toId("nobody"))).toBeUndefined();
    expect(await store.find({ limit: 10 })).toEqual({ executions: [] });
  },

  "a batch of many executions is written whole": async ({ store }) => {
    const ids = Array.from({ length: 50 }, (_, index) => `e${index}`);
    await store.commit(batch(...ids.map((id) => append(id, 0))));
    await store.commit(batch(...ids.map((id) => append(id, 2))));
    expect(await found(store)).toEqual(ids);
    for (const id of ids) await expectAt(store, id, 4);
  },

  "several appends of one execution in a batch follow each other": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("b", 0), append("a", 2), append("a", 4)));
    await expectAt(store, "a", 6);
    expect(await refusal(store.commit(batch(append("a", 6), append("a", 6))))).toBe("STORE_FENCED");
    await expectAt(store, "a", 6);
  },

  "a batch of nothing changes nothing": async ({ store }) => {
    await store.commit(batch());
    expect(await found(store)).toEqual([]);
  },

  "LEASE-2 one refused append refuses its batch": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const value = content("kept by nobody");
    const fine = append("b", 0, {
      values: [value],
      definitions: [value],
      idempotency: { key: "k", payload: value.hash },
    });
    expect(await refusal(store.commit(batch(fine, append("a", 0))))).toBe("STORE_FENCED");
    expect(await found(store)).toEqual(["a"]);
    expect(await store.contents({ kind: "definitions", hashes: [value.hash] })).toEqual(new Map());
    expect(await found(store, { idempotencyKey: "k" })).toEqual([]);
  },

  "IDEM-1 a key that another execution has taken meanwhile refuses the append, also within one batch": async ({
    store,
  }) => {
    const idempotency = { key: "k", payload: hashText("p") };
    const first = append("a", 0, { idempotency, previousWithKey: null });
    const late = append("b", 0, { idempotency, previousWithKey: null });
    expect(await refused(store.commit(batch(first, late)))).toEqual({ executions: ["b"], messages: [] });
    await store.commit(batch(first));
    expect(await refusal(store.commit(batch(late)))).toBe("STORE_FENCED");
    expect(await found(store)).toEqual(["a"]);
    await store.commit(batch(append("b", 0, { idempotency, previousWithKey: toId("a") })));
    expect(await refusal(store.commit(batch(append("c", 0, { idempotency }))))).toBe("STORE_FENCED");
    expect(await found(store, { idempotencyKey: "k" })).toEqual(["b"]);
  },

  "LEASE-2 a refusal names every execution and message that was refused, and nothing else": async ({ store }) => {
    await store.commit(batch(append("a", 0), append("b", 0), append("c", 0)));
    const [gone, posted] = [await store.post(message("a", "gone")), await store.post(message("c", "there"))];
    await store.commit({ appends: [], consumedMessages: [gone] });
    const appends = [append("a", 0), append("c", 2), append("b", 400), append("a", 2), append("d", 0)];
    expect(await refused(store.commit({ appends, consumedMessages: [gone, posted] }))).toEqual({
      executions: ["a", "b"],
      messages: [gone],
    });
    await store.commit({ appends: [append("c", 2), append("d", 0)], consumedMessages: [posted] });
    await expectAt(store, "c", 4);
    await expectAt(store, "a", 2);
  },

  "LEASE-2 an append that does not follow the journal is refused": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    await store.commit(batch(append("a", 2)));
    for (const after of [0, 1, 2, 3, 5, 400])
      expect([after, await refusal(store.commit(batch(append("a", after))))]).toEqual([after, "STORE_FENCED"]);
    expect(await refusal(store.commit(batch(append("b", 2))))).toBe("STORE_FENCED");
    await expectAt(store, "a", 4);
    await store.commit(batch(append("a", 4)));
    await expectAt(store, "a", 6);
  },

  "LEASE-2 an append under an old epoch is refused": async ({ store }) => {
    await store.commit(batch(append("a", 0, { epoch: 5 })));
    expect(await refusal(store.commit(batch(append("a", 2, { epoch: 4 }))))).toBe("STORE_FENCED");
    await store.commit(batch(append("a", 2, { epoch: 5 })));
    await expectAt(store, "a", 4, 5);
  },

  "LEASE-3 a higher epoch takes over, and the one before can write no more": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    await store.commit(batch(append("a", 2, { expectedEpoch: 1, epoch: 3 })));
    expect(await refusal(store.commit(batch(append("a", 4, { epoch: 2 }))))).toBe("STORE_FENCED");
    expect(await refusal(store.commit(batch(append("a", 4, { epoch: 4 }))))).toBe("STORE_FENCED");
    await store.commit(batch(append("a", 4, { epoch: 3 })));
    await expectAt(store, "a", 6, 3);
  },

  "LEASE-3 an execution can be taken over without an event": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    await store.commit(batch(append("a", 2)));
    await store.commit(batch(blockless("a", 4, { expectedEpoch: 1, epoch: 2 })));
    await expectAt(store, "a", 4, 2);
    expect(await refusal(store.commit(batch(append("a", 4, { epoch: 1 }))))).toBe("STORE_FENCED");
    await store.commit(batch(append("a", 4, { epoch: 2 })));
    await expectAt(store, "a", 6, 2);
  },

  "LEASE-4 of two who found the same epoch one takes over, and the other is refused": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const takeOver = blockless("a", 2, { expectedEpoch: 1, epoch: 2 });
    await store.commit(batch(takeOver));
    expect(await refusal(store.commit(batch(takeOver)))).toBe("STORE_FENCED");
    expect(await refusal(store.commit(batch(append("a", 2, { expectedEpoch: 1, epoch: 2 }))))).toBe("STORE_FENCED");
    expect(await refusal(store.commit(batch(append("a", 2, { expectedEpoch: 1, epoch: 3 }))))).toBe("STORE_FENCED");
    await expectAt(store, "a", 2, 2);
  },

  "an append that contradicts itself is a bug, and nothing is written": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const right = append("a", 2);
    const block = right.block!;
    const wrong: Append[] = [
      { ...right, projection: { ...right.projection, seq: 9 } },
      { ...right, projection: { ...right.projection, head: "another" } },
      { ...right, block: { ...block, firstSeq: 7 } },
      { ...right, block: { ...block, count: 0 }, projection: { ...right.projection, seq: 2 } },
      { ...right, expectedEpoch: 2, epoch: 1 },
      { ...right, epoch: 1.5 },
      { ...right, projection: { ...right.projection, updatedAt: (right.projection.updatedAt + 0.5) as EpochMs } },
      { ...right, projection: { ...right.projection, wakeAt: Number.NaN as EpochMs } },
      { ...right, projection: { ...right.projection, stepsEnded: 0.1 } },
      blockless("new", 0),
    ];
    for (const one of wrong) await expect(store.commit(batch(one))).rejects.toThrow(/^F2/u);
    await expectAt(store, "a", 2);
    expect(await found(store)).toEqual(["a"]);
  },

  "the projection is what the last append said, whichever field it changed": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const changes = [
      { wakeAt: at(500) },
      { wakeAt: at(900) },
      { wakeAt: at(700), stepsEnded: 3 },
      { wakeAt: null, updatedAt: at(800) },
      { status: "paused" },
      { priority: 2.5, stepsTotal: 99 },
      { status: "completed", wakeAt: null, stepsEnded: 99 },
    ] as const;
    for (const [index, projection] of changes.entries()) {
      const next = append("a", 2 + 2 * index, { projection });
      await store.commit(batch(next));
      expect((await store.find({ limit: 1 })).executions[0]?.projection).toEqual(next.projection);
      expect((await loaded(store, "a")).projection).toEqual(next.projection);
    }
  },

  "10,000 blocks are loaded as they were appended": async ({ store }) => {
    const appends = Array.from({ length: 10_000 }, (_, index) => append("a", 2 * index, { body: `block ${index}` }));
    for (let first = 0; first < appends.length; first += 500)
      await store.commit(batch(...appends.slice(first, first + 500)));
    expect(await readBlocks(store, "a")).toEqual(appends.map(({ block }) => block));
  },

  "1,000 appends, each a commit of its own, interleave with those of others": async ({ store }) => {
    for (let index = 0; index < 500; index++)
      for (const id of ["a", "b"])
        await store.commit(batch(append(id, 2 * index, { projection: { wakeAt: at(index) } })));
    await expectAt(store, "a", 1000);
    await expectAt(store, "b", 1000);
    expect(await found(store, { dueBy: at(498) })).toEqual([]);
    expect(await found(store, { dueBy: at(499) })).toEqual(["a", "b"]);
  },

  "large and strange texts come back as they went": async ({ store }) => {
    const bodies = ["x".repeat(3_000_000), "ünï¢ødé 👩‍👩‍👧 \u0000 \u2028 \\ \" '; --", "", "\n\n", "e\u0301"];
    const values = bodies.map(content);
    await store.commit(batch(append("a", 0, { body: bodies[0]!, values, definitions: values })));
    for (const [index, body] of bodies.entries()) await store.commit(batch(append("a", 2 + 2 * index, { body })));
    expect((await readBlocks(store, "a")).map(({ body }) => body)).toEqual([bodies[0], ...bodies]);
    const hashes = values.map(({ hash }) => hash);
    const whole = new Map(values.map(({ hash, body }) => [hash, body]));
    expect(await store.contents({ kind: "values", execution: toId("a"), hashes })).toEqual(whole);
    expect(await store.contents({ kind: "definitions", hashes })).toEqual(whole);
  },

  "ids, names and keys may hold any well-formed text": async ({ store }) => {
    const strange = "a'b\"; DROP TABLE executions; -- 👍 %_";
    const named = { workflow: strange, correlationId: strange };
    await store.commit(
      batch(append(strange, 0, { projection: named, idempotency: { key: strange, payload: hashText("p") } })),
    );
    await store.commit(batch(append("other", 0)));
    for (const query of [{ workflow: strange }, { correlationId: strange }, { idempotencyKey: strange }])
      expect(await found(store, query)).toEqual([strange]);
    await expectAt(store, strange, 2);
  },
};
