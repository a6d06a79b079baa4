// Subscriptions, and that they affect nothing else (EVENT-1, EVENT-2).

import { describe, expect, it } from "vitest";
import type { EventBatch } from "../../src/index.ts";
import { fail, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { flow, readHistory, one, step } from "./sample-flow.ts";

const agents = { work: async () => 1 };

describe("a subscriber", () => {
  it("EVENT-1 sees one event for each of the journal, in order, with the journal's own in it", async () => {
    await using test = await openTestEngine({ agents: { work: script([fail("busy"), succeed(1)]) } });
    const seen: unknown[] = [];
    test.engine.subscribe({}, ({ events }) => void seen.push(...events));
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.advance("10s");
    expect((await handle.status()).status).toBe("completed");
    expect(seen).toEqual(await readHistory(handle));
    expect(seen.length).toBe((await test.engine.verify(handle.id)).events);
  });

  it("EVENT-2 sees what its filter lets through, and nothing once it has left", async () => {
    await using test = await openTestEngine({ agents });
    const seen: string[] = [];
    const note = ({ events }: EventBatch): void =>
      void seen.push(...events.map((event) => `${event.executionId} ${event.kind}`));
    test.engine.subscribe({ executionId: "two", kinds: ["execution.completed"] }, note);
    const leave = test.engine.subscribe({ workflow: "other" }, note);
    await test.start(one(), null, { id: "one" });
    await test.start(one(), null, { id: "two" });
    await test.untilIdle();
    leave();
    await test.start(one({}, { name: "other" }), null, { id: "three" });
    await test.untilIdle();
    expect(seen).toEqual(["two execution.completed"]);
  });

  it("EVENT-2 that leaves while it is busy is not called again", async () => {
    await using test = await openTestEngine({ agents });
    const { promise, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    const leave = test.engine.subscribe({}, () => {
      calls++;
      return promise;
    });
    await test.start(one());
    await test.untilIdle();
    await test.start(one());
    await test.untilIdle();
    leave();
    resolve();
    await test.untilIdle();
    expect(calls).toBe(1);
  });

  it("EVENT-2 that never comes back, throws or rejects holds up neither the engine nor another one", async () => {
    const faults: unknown[] = [];
    await using test = await openTestEngine({ agents, onFault: (error) => faults.push(error) });
    const seen: string[] = [];
    test.engine.subscribe({}, () => new Promise(() => undefined));
    test.engine.subscribe({}, () => {
      throw new Error("throws");
    });
    test.engine.subscribe({}, () => Promise.reject(new Error("rejects")));
    test.engine.subscribe(
      { kinds: ["execution.completed"] },
      ({ events }) => void seen.push(...events.map(({ kind }) => kind)),
    );
    const handle = await test.start(one());
    await test.untilIdle();
    expect([(await handle.status()).status, seen]).toEqual(["completed", ["execution.completed"]]);
    expect(faults.map(String).toSorted()).toContain("Error: throws");
    expect(faults.map(String)).toContain("Error: rejects");
  });
});

describe("a subscriber", () => {
  it("EVENT-2 that is too slow loses the oldest, and is told how many", async () => {
    await using test = await openTestEngine({ agents });
    const batches: { readonly first: number; readonly count: number; readonly dropped: number }[] = [];
    const gate = Promise.withResolvers<void>();
    let total = 0;
    test.engine.subscribe({}, ({ events }) => void (total += events.length));
    test.engine.subscribe({}, async ({ events, dropped }) => {
      batches.push({ first: events[0]!.seq, count: events.length, dropped });
      if (batches.length === 1) await gate.promise;
    });
    const many = flow(Array.from({ length: 6000 }, (_, index) => step(`s${index}`)));
    const handle = await test.start(many);
    await handle.result();
    await test.untilIdle();
    expect(batches).toHaveLength(1);
    gate.resolve();
    await test.untilIdle();
    const [first, second] = batches;
    expect(batches).toHaveLength(2);
    expect(second!.dropped).toBeGreaterThan(0);
    expect(first!.count + second!.count + second!.dropped).toBe(total);
    expect(second!.first).toBe(first!.count + second!.dropped + 1);
  });
});

describe("the events of a handle", () => {
  it("EVENT-2 may be left in the middle, and begin again at the beginning", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one());
    for await (const event of handle.events()) {
      expect(event.seq).toBe(1);
      break;
    }
    await test.untilIdle();
    const seqs: number[] = [];
    for await (const { seq } of handle.events()) seqs.push(seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect((await handle.status()).seq).toBe(seqs.length);
  });

  it("JOURNAL-4 go on over a crash without a gap", async () => {
    const work = script([succeed(1, { after: "1s" })]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.advance("1500ms");
    await test.crash();
    await test.advance("2s");
    const events = await readHistory(await test.get(id));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)!.kind).toBe("execution.completed");
  });
});
