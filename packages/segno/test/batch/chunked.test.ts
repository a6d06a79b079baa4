// Chunks: their size, their concurrency, and their results.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PermanentError } from "@segno/kernel";
import { executeBatch } from "../../src/batch.ts";
import { skip } from "../../src/index.ts";
import { openTestEngine } from "@segno/engine/testing";
import { splitIntoChunks, Gate, range, WatchedSource } from "./fixture.ts";

const sum = (items: readonly number[]): number => items.reduce((total, each) => total + each, 0);

describe("chunks", () => {
  it("BEYOND-1 are of one size but the last, and results come in the order of items", async () => {
    const seen: (readonly number[])[] = [];
    const result = await executeBatch(range(7), {
      mode: "chunked",
      size: 3,
      process: (items, { chunk, index }) => {
        seen.push(items);
        return { chunk, index, sum: sum(items) };
      },
    });
    expect(seen).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(result.results).toEqual([
      { chunk: 0, index: 0, sum: 3 },
      { chunk: 1, index: 3, sum: 12 },
      { chunk: 2, index: 6, sum: 6 },
    ]);
    expect(result).toMatchObject({ status: "completed", items: 7, processed: 7, failed: 0, skipped: 0, chunks: 3 });
  });

  it("BEYOND-1 no items give no results", async () => {
    const result = await executeBatch([], { mode: "chunked", size: 3, process: () => 1 });
    expect(result).toMatchObject({ status: "completed", items: 0, chunks: 0, results: [], errors: [] });
  });

  it("BEYOND-1 as many run at once as `concurrency` says, and no more", async () => {
    const gate = new Gate();
    const done = executeBatch(range(10), {
      mode: "chunked",
      size: 1,
      concurrency: 3,
      process: async ([item]) => {
        await gate.pass(item!);
        return item;
      },
    });
    // The last running chunk finishes first; results still come in order.
    while (gate.waiting.length < 3) await new Promise(setImmediate);
    const order: number[] = [];
    for (let left = 10; left > 0; left--) {
      while (gate.waiting.length < Math.min(3, left)) await new Promise(setImmediate);
      const last = Math.max(...gate.waiting);
      order.push(last);
      gate.open(last);
    }
    expect([(await done).results, gate.most]).toEqual([range(10), 3]);
    expect(order).not.toEqual(range(10));
  });

  it("BEYOND-1 an engine's own limits hold beneath the batch's", async () => {
    await using test = await openTestEngine({ limits: { slots: 2 } });
    let [running, most] = [0, 0];
    const result = await executeBatch(range(40), {
      mode: "chunked",
      size: 1,
      concurrency: 9,
      engine: test.engine,
      process: async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
      },
    });
    expect([result.processed, most]).toEqual([40, 2]);
  });
});

describe("what chunks come to", () => {
  it("BEYOND-1 `aggregate` makes one value in the order of items, and results are not kept", async () => {
    const { total, results } = await executeBatch(range(10), {
      mode: "chunked",
      size: 4,
      concurrency: 3,
      process: (items) => items.join(""),
      aggregate: { initial: "", reduce: async (text, part, { index }) => `${text}${index}:${part} ` },
    });
    expect([total, results]).toEqual(["0:0123 4:4567 8:89 ", []]);
  });

  it("BEYOND-1 skipped items are counted by themselves, and nothing is null", async () => {
    const result = await executeBatch(range(5), {
      mode: "chunked",
      size: 2,
      process: ([first]) => (first === 2 ? skip("known already") : undefined),
    });
    expect(result).toMatchObject({ status: "completed", processed: 3, skipped: 2, results: [null, null] });
  });

  it("BEYOND-1 a failure names its items and why, and ends the batch", async () => {
    const source = new WatchedSource(100);
    const result = await executeBatch(source, {
      mode: "chunked",
      size: 2,
      process: ([first]) => {
        if (first === 4) throw new PermanentError("no such thing");
        return first;
      },
    });
    expect(result).toMatchObject({ status: "failed", results: [0, 2], processed: 4, failed: 2, items: 6 });
    expect(result.failure).toMatchObject({
      code: "BATCH_TOLERANCE",
      message: "2 of 6 items failed; 0 are allowed to fail",
    });
    expect(result.errors).toMatchObject([{ chunk: 2, index: 4, count: 2, failure: { message: "no such thing" } }]);
    expect(source.returns).toBe(1);
    expect(source.pulled).toBeLessThan(20);
  });

  it("BEYOND-1 what throws a text fails with that text", async () => {
    const thrown = (): never => {
      // eslint-disable-next-line no-throw-literal
      throw "out of ink";
    };
    const { errors } = await executeBatch([1], { mode: "chunked", size: 1, retry: 1, process: thrown });
    expect(errors).toMatchObject([{ index: 0, failure: { class: "transient", message: "out of ink" } }]);
  });

  it("DATA-8 a result that is not JSON fails its chunk and names the place", async () => {
    const { errors } = await executeBatch([1], { mode: "chunked", size: 1, process: () => ({ when: 1n }) });
    expect(errors).toMatchObject([{ failure: { code: "OUTPUT_NOT_JSON", path: expect.stringContaining("when") } }]);
  });
});

describe("tolerance", () => {
  const failing =
    (bad: ReadonlySet<number>) =>
    ([item]: readonly number[]) => {
      if (bad.has(item!)) throw new PermanentError(`bad ${item}`);
      return item;
    };

  it.each([
    [2, "completed", 10],
    [1, "failed", undefined],
    ["20%", "completed", 10],
    ["19.9%", "failed", undefined],
    ["100%", "completed", 10],
  ] as const)("BEYOND-1 two failures of ten with a tolerance of %s: %s", async (tolerance, status, items) => {
    const process = failing(new Set([3, 6]));
    const result = await executeBatch(range(10), { mode: "chunked", size: 1, tolerance, process });
    expect(result.status).toBe(status);
    if (items === undefined) expect(result.items).toBeLessThan(10);
    else expect([result.items, result.failed, result.results]).toEqual([10, 2, [0, 1, 2, 4, 5, 7, 8, 9]]);
  });

  it("BEYOND-1 a share of what has no known length is judged from the hundredth item on", async () => {
    const source = new WatchedSource(1000);
    const process = failing(new Set(range(50)));
    const result = await executeBatch(source, { mode: "chunked", size: 1, tolerance: "40%", process });
    expect(result).toMatchObject({ status: "failed", items: 100, failed: 50, failure: { message: /50 of 100.*40%/u } });
  });

  it("BEYOND-1 a share of few items of no known length is judged at the end", async () => {
    const process = failing(new Set([0, 1, 2]));
    const result = await executeBatch(new Set(range(6)), { mode: "chunked", size: 1, tolerance: "40%", process });
    expect(result).toMatchObject({ status: "failed", items: 6, failed: 3, processed: 3 });
  });

  it("BEYOND-1 what ran when the batch failed ends as it does, and is counted", async () => {
    const gate = new Gate();
    const done = executeBatch(range(20), {
      mode: "chunked",
      size: 1,
      concurrency: 3,
      process: async ([item]) => {
        await gate.pass(item!);
        if (item === 0) throw new PermanentError("bad");
        return item;
      },
    });
    while (gate.waiting.length < 3) await new Promise(setImmediate);
    gate.open(0);
    for (let looks = 0; looks < 20; looks++) await new Promise(setImmediate);
    gate.open(...gate.waiting);
    const result = await done;
    expect(result).toMatchObject({ status: "failed", failed: 1, cancelled: 0 });
    expect(result.results).toEqual(range(result.processed, 1));
  });
});

describe("chunks against a plain loop", () => {
  interface Sketch {
    readonly items: readonly number[];
    readonly size: number;
    readonly tolerance: number;
  }

  /** 0 fails, 1 is skipped, any other number is its own result: the first item of each chunk decides. */
  function model({ items, size, tolerance }: Sketch): unknown {
    const counts = { processed: 0, failed: 0, skipped: 0 };
    const results: number[] = [];
    for (const chunk of splitIntoChunks(items, size)) {
      const kind = chunk[0] === 0 ? "failed" : chunk[0] === 1 ? "skipped" : "processed";
      counts[kind] += chunk.length;
      if (kind === "processed") results.push(sum(chunk));
      if (counts.failed > tolerance) return { ...counts, status: "failed", results };
    }
    return { ...counts, status: "completed", results };
  }

  const sketches = fc.record({
    items: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 40 }),
    size: fc.integer({ min: 1, max: 9 }),
    tolerance: fc.integer({ min: 0, max: 40 }),
  });

  const process = (items: readonly number[]): unknown => {
    if (items[0] === 0) throw new PermanentError("zero");
    return items[0] === 1 ? skip("one") : sum(items);
  };

  it("BEYOND-1 one at a time a batch comes to what the loop comes to", async () => {
    const run = async (sketch: Sketch): Promise<void> => {
      const { items, ...config } = sketch;
      const result = await executeBatch(items, { mode: "chunked", ...config, process });
      const { status, results, processed, failed, skipped } = result;
      // A chunk may have begun before the failure of the previous one was noticed.
      const expected = model(sketch) as { status: string; results: readonly number[] };
      if (status === "completed") expect({ status, results, processed, failed, skipped }).toEqual(expected);
      else expect([status, results.slice(0, expected.results.length)]).toEqual([expected.status, expected.results]);
    };
    await fc.assert(fc.asyncProperty(sketches, run), { numRuns: 60 });
  });

  it("BEYOND-1 with everything tolerated, concurrency changes nothing", async () => {
    const run = async (sketch: Sketch, concurrency: number): Promise<void> => {
      const { items, size } = sketch;
      const result = await executeBatch(items, { mode: "chunked", size, concurrency, tolerance: "100%", process });
      const { status, results, processed, failed, skipped } = result;
      expect({ status, results, processed, failed, skipped }).toEqual(model({ items, size, tolerance: Infinity }));
    };
    await fc.assert(fc.asyncProperty(sketches, fc.integer({ min: 1, max: 7 }), run), { numRuns: 60 });
  });
});
