// Windows: a chunk ends after a number of items or a time, by the engine's clock.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { executeBatch, type BatchResult } from "../../src/batch.ts";
import { openTestEngine, type TestEngine, inspectEngine } from "@segno/engine/testing";
import { splitIntoChunks, Gate, PushedSource, range } from "./fixture.ts";

const itself = (items: readonly number[]): readonly number[] => items;

type Result = BatchResult<readonly number[]>;

function windowed(test: TestEngine, source: PushedSource<number>, config: object): Promise<Result> {
  return executeBatch(source, { mode: "windowed", engine: test.engine, process: itself, ...config });
}

describe("windows", () => {
  it("BEYOND-1 close with so many items, or so long after the first, whichever comes first", async () => {
    await using test = await openTestEngine();
    const source = new PushedSource<number>();
    const done = windowed(test, source, { count: 3, time: "10s" });
    source.push(1, 2, 3, 4);
    await test.advance("9s");
    source.push(5);
    await test.advance("1s");
    await test.advance("1h");
    source.push(6);
    await test.untilIdle();
    source.end();
    expect((await done).results).toEqual([[1, 2, 3], [4, 5], [6]]);
  });

  it("BEYOND-1 time begins with the first item, so there is no empty window", async () => {
    await using test = await openTestEngine();
    const source = new PushedSource<number>();
    const done = windowed(test, source, { time: 1000 });
    await test.advance("1h");
    source.push(1);
    await test.advance(999);
    source.push(2);
    await test.advance(1);
    source.push(3);
    await test.advance("2h");
    source.end();
    expect((await done).results).toEqual([[1, 2], [3]]);
  });

  it("BEYOND-1 by count alone are chunks", async () => {
    const { results } = await executeBatch(range(7), { mode: "windowed", count: 3, process: itself });
    expect(results).toEqual(splitIntoChunks(range(7), 3));
  });
});

describe("windows that are processed", () => {
  it("BEYOND-1 run one after the other, or several at once", async () => {
    for (const concurrency of [1, 2]) {
      const gate = new Gate();
      const done = executeBatch(range(4), {
        mode: "windowed",
        count: 1,
        concurrency,
        process: ([item]) => gate.pass(item!),
      });
      for (let left = 4; left > 0; left--) {
        while (gate.waiting.length < Math.min(left, concurrency)) await new Promise(setImmediate);
        gate.open(gate.waiting[0]!);
      }
      expect([(await done).status, gate.most]).toEqual(["completed", concurrency]);
    }
  });

  it("BEYOND-1 a source that fails between two windows is told when the next one is wanted", async () => {
    await using test = await openTestEngine();
    const source = new PushedSource<number>();
    const gate = new Gate();
    const done = windowed(test, source, { time: "10s", process: ([item]: readonly number[]) => gate.pass(item!) });
    source.push(1);
    await test.advance("11s");
    source.fail(new Error("the line is cut"));
    await test.untilIdle();
    gate.open(1);
    await expect(done).rejects.toMatchObject({ code: "BATCH_SOURCE_FAILED", result: { processed: 1 } });
  });

  it("BEYOND-1 however many windows there are, one alarm is set and none is left", async () => {
    await using test = await openTestEngine();
    const source = new PushedSource<number>();
    const before = inspectEngine(test.engine).timerCount;
    const done = windowed(test, source, { count: 1, time: "1d" });
    source.push(...range(50));
    await test.untilIdle();
    expect(inspectEngine(test.engine).timerCount - before).toBeLessThanOrEqual(1);
    source.end();
    expect((await done).chunks).toBe(50);
    await test.advance(1);
    expect(inspectEngine(test.engine).timerCount).toBe(before);
  });
});

describe("windows against a plain loop", () => {
  /** Items, each with the time since the previous one. */
  function model(gaps: readonly number[], count: number, time: number): readonly (readonly number[])[] {
    const windows: { readonly dueAt: number; readonly items: number[] }[] = [];
    let now = 0;
    for (const [item, gap] of gaps.entries()) {
      now += gap;
      const open = windows.at(-1);
      if (open !== undefined && open.items.length < count && now < open.dueAt) open.items.push(item);
      else windows.push({ dueAt: now + time, items: [item] });
    }
    return windows.map(({ items }) => items);
  }

  it("BEYOND-1 items fall into the windows that a clock and a counter say", async () => {
    // The resolution of the engine's timers; its time begins at a multiple of it.
    const slices = (min: number, max: number) => fc.integer({ min, max }).map((each) => 8 * each);
    const gaps = fc.array(slices(0, 9), { maxLength: 12 });
    const run = async (between: readonly number[], count: number, time: number): Promise<void> => {
      await using test = await openTestEngine();
      const source = new PushedSource<number>();
      const done = windowed(test, source, { count, time });
      for (const [item, gap] of between.entries()) {
        await test.advance(gap);
        source.push(item);
        await test.untilIdle();
      }
      source.end();
      expect((await done).results).toEqual(model(between, count, time));
    };
    const [counts, times] = [fc.integer({ min: 1, max: 5 }), slices(1, 12)];
    await fc.assert(fc.asyncProperty(gaps, counts, times, run), { numRuns: 25 });
  });
});
