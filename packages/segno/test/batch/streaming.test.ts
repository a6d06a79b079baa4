// Streams: outcomes as they finish or in order, never faster than they are read.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PermanentError } from "@segno/kernel";
import { executeBatch } from "../../src/batch.ts";
import { openTestEngine } from "@segno/engine/testing";
import { splitIntoChunks, collect, Gate, collectOutputs, PushedSource, range, WatchedSource } from "./fixture.ts";

async function quiet(): Promise<void> {
  for (let look = 0; look < 20; look++) await new Promise(setImmediate);
}

describe("a stream", () => {
  it("BEYOND-1 gives an outcome for each item, with its number", async () => {
    const stream = executeBatch(["a", "b", "c"], {
      mode: "streaming",
      tolerance: 1,
      process: (letter) => {
        if (letter === "b") throw new PermanentError("not b");
        return letter.toUpperCase();
      },
    });
    const outcomes = await collect(stream);
    expect(outcomes).toMatchObject([
      { kind: "succeeded", index: 0, count: 1, output: "A" },
      { kind: "failed", index: 1, failure: { message: "not b" } },
      { kind: "succeeded", index: 2, output: "C" },
    ]);
    expect(await stream.summary).toMatchObject({ status: "completed", processed: 2, failed: 1, results: [] });
  });

  it("BEYOND-1 with a size gives lists to `process`", async () => {
    const stream = executeBatch(range(5), { mode: "streaming", size: 2, process: (items) => items });
    expect(collectOutputs(await collect(stream))).toEqual(splitIntoChunks(range(5), 2));
  });

  it("BEYOND-1 with a size and a time is windows that are given out as they close", async () => {
    await using test = await openTestEngine();
    const source = new PushedSource<number>();
    const config = { mode: "streaming", size: 10, time: "5s", engine: test.engine } as const;
    const stream = executeBatch(source, { ...config, process: (items) => items });
    const first = stream.next();
    source.push(1, 2);
    await test.advance("5s");
    expect((await first).value).toMatchObject({ output: [1, 2] });
    await stream.return();
    expect(source.returns).toBe(1);
  });

  it.each([true, false])("BEYOND-1 ordered: %s", async (ordered) => {
    const gate = new Gate();
    const process = async (item: number): Promise<number> => {
      await gate.pass(item);
      return item;
    };
    const stream = executeBatch(range(3), { mode: "streaming", concurrency: 3, ordered, process });
    const outcomes = collect(stream);
    for (const item of [2, 0, 1]) {
      while (!gate.waiting.includes(item)) await new Promise(setImmediate);
      gate.open(item);
      await quiet();
    }
    expect(collectOutputs(await outcomes)).toEqual(ordered ? [0, 1, 2] : [2, 0, 1]);
  });

  it("BEYOND-1 is the same set of outcomes whatever its bounds, and in order if it is ordered", async () => {
    const run = async (items: readonly number[], concurrency: number, buffer: number, ordered: boolean) => {
      const process = async (item: number): Promise<number> => {
        for (let wait = 0; wait < item; wait++) await Promise.resolve();
        return item;
      };
      const stream = executeBatch(items, { mode: "streaming", concurrency, buffer, ordered, process });
      const outcomes = await collect(stream);
      if (ordered) expect(outcomes.map(({ index }) => index)).toEqual(range(items.length));
      const sorted = outcomes.toSorted((a, b) => a.index - b.index);
      expect(collectOutputs(sorted)).toEqual(items);
    };
    const few = fc.integer({ min: 1, max: 6 });
    const items = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 });
    await fc.assert(fc.asyncProperty(items, few, fc.integer({ min: 0, max: 6 }), fc.boolean(), run), { numRuns: 60 });
  });
});

describe("back-pressure", () => {
  it("BEYOND-1 nothing is pulled before somebody reads", async () => {
    const source = new WatchedSource(10);
    executeBatch(source, { mode: "streaming", process: (item) => item });
    await quiet();
    expect(source.pulled).toBe(0);
  });

  it.each([
    [1, 0],
    [1, 1],
    [4, 0],
    [4, 3],
  ])("BEYOND-1 %i at once and a buffer of %i: no more is pulled than is read", async (concurrency, buffer) => {
    const source = new WatchedSource(100);
    const stream = executeBatch(source, { mode: "streaming", concurrency, buffer, process: (item) => item });
    for (const read of range(30, 1)) {
      await stream.next();
      await quiet();
      expect(source.pulled - read).toBe(concurrency + buffer);
    }
    await stream.return();
  });

  it("BEYOND-1 a slow first item holds up those behind it only so far", async () => {
    const source = new WatchedSource(100);
    const gate = new Gate();
    const process = (item: number): unknown => (item === 0 ? gate.pass(0) : item);
    const stream = executeBatch(source, { mode: "streaming", concurrency: 2, buffer: 5, process });
    const first = stream.next();
    await quiet();
    expect(source.pulled).toBe(7);
    gate.open(0);
    expect((await first).value).toMatchObject({ index: 0 });
    await stream.return();
  });
});

describe("memory", () => {
  interface Load {
    readonly total: number;
    readonly size?: number;
    readonly concurrency: number;
    readonly buffer: number;
  }

  /** The maximum number of items that had left the source and were not read yet. */
  async function mostLive({ total, size, concurrency, buffer }: Load): Promise<number> {
    let [live, most] = [0, 0];
    function* source(): Generator<number> {
      for (let item = 0; item < total; item++) {
        most = Math.max(most, ++live);
        yield item;
      }
    }
    const aggregate = { initial: 0, reduce: (sum: number, count: number) => sum + count };
    const config = { mode: "streaming", concurrency, buffer, aggregate } as const;
    const stream =
      size === undefined
        ? executeBatch(source(), { ...config, process: () => 1 })
        : executeBatch(source(), { ...config, size, process: (items) => items.length });
    for await (const { count } of stream) live -= count;
    expect([(await stream.summary).total, live]).toEqual([total, 0]);
    return most;
  }

  // The limits, and one more chunk that the reader holds when the next one is pulled.
  it("BEYOND-1 of 1,000,000 items never more live than the bounds allow", async () => {
    const load = { total: 1_000_000, size: 500, concurrency: 3, buffer: 2 };
    expect(await mostLive(load)).toBe(500 * (3 + 2 + 1));
  });

  it("BEYOND-1 the same holds item by item", async () => {
    expect(await mostLive({ total: 10_000, concurrency: 8, buffer: 4 })).toBe(8 + 4 + 1);
  });
});
