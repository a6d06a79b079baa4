// Windows by time in a journal: their ends are read from the journal.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { executeBatch } from "../../src/batch.ts";
import { Engine } from "../../src/index.ts";
import { openTestEngine } from "@segno/engine/testing";
import { hangingFrom, PushedSource, range, SlowStore } from "./fixture.ts";

type Numbers = readonly number[];

describe("windows by time that are in the journal", () => {
  it("BEYOND-1 are cut as they were, whatever time has passed since", async () => {
    await using test = await openTestEngine();
    const windows = (source: AsyncIterable<number>, hangFrom: number) =>
      executeBatch(source, {
        mode: "windowed",
        count: 4,
        time: "10s",
        id: "windows",
        engine: test.engine,
        process: hangingFrom(hangFrom, []),
      });
    const slow = new PushedSource<number>();
    void windows(slow, 2).catch(() => undefined);
    slow.push(0, 1, 2);
    await test.advance("10s");
    slow.push(3, 4);
    await test.advance("10s");
    slow.push(5);
    await test.advance("10s");
    await test.crash();
    const quick = new PushedSource<number>();
    quick.push(...range(12));
    quick.end();
    const { results } = await windows(quick, 99);
    expect(results).toEqual([[0, 1, 2], [3, 4], [5], [6, 7, 8, 9], [10, 11]]);
  });

  it("BEYOND-1 are cut as they were when they are large, too", async () => {
    await using test = await openTestEngine();
    const items = range(4).map((each) => `${each}${"x".repeat(50_000)}`);
    const windows = (source: AsyncIterable<string>) =>
      executeBatch(source, {
        mode: "windowed",
        time: "10s",
        id: "large-windows",
        engine: test.engine,
        process: (window) => window.map((item) => item[0]!),
      });
    for (const first of [3, 4]) {
      const source = new PushedSource<string>();
      const done = windows(source);
      source.push(...items.slice(0, first));
      await test.advance("10s");
      source.push(...items.slice(first));
      await test.untilIdle();
      source.end();
      expect((await done).results).toEqual([["0", "1", "2"], ["3"]]);
    }
  });
});

describe("windows by time and crashes", () => {
  it("JOURNAL-3 BEYOND-1 they begin one after the other, however many run at once", async () => {
    const run = async (gaps: Numbers, concurrency: number, crashAfter: number): Promise<void> => {
      await using test = await openTestEngine();
      const windows = (source: AsyncIterable<number>, hangFrom: number) =>
        executeBatch(source, {
          mode: "windowed",
          count: 3,
          time: 16,
          id: "windows",
          engine: test.engine,
          concurrency,
          process: hangingFrom(hangFrom, []),
        });
      const slow = new PushedSource<number>();
      void windows(slow, crashAfter).catch(() => undefined);
      for (const [item, gap] of gaps.entries()) {
        await test.advance(gap);
        slow.push(item);
        await test.untilIdle();
      }
      await test.crash();
      const quick = new PushedSource<number>();
      quick.push(...range(gaps.length));
      quick.end();
      const { results, status } = await windows(quick, 99);
      expect([results.flat(), status]).toEqual([range(gaps.length), "completed"]);
    };
    const gaps = fc.array(fc.constantFrom(0, 8, 16, 24), { maxLength: 14 });
    await fc.assert(fc.asyncProperty(gaps, fc.integer({ min: 1, max: 4 }), fc.nat({ max: 6 }), run), { numRuns: 25 });
  });

  it("BEYOND-1 none begins before the one before it is in the journal", async () => {
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    // The first load looks for windows of an earlier process, the second is that of the start.
    const store = new SlowStore(async (id) => {
      if (id !== "slow/0" || ++looks < 2) return;
      asked.resolve();
      await answer.promise;
    });
    await using engine = await Engine.open({ store });
    const source = new PushedSource<number>();
    const config = { mode: "windowed", count: 1, time: "1h", concurrency: 3, id: "slow", engine } as const;
    const done = executeBatch(source, { ...config, process: (items) => items });
    source.push(1, 2, 3);
    await asked.promise;
    for (let look = 0; look < 20; look++) await new Promise(setImmediate);
    expect((await engine.list()).executions).toEqual([]);
    answer.resolve();
    source.end();
    expect((await done).results).toEqual([[1], [2], [3]]);
  });
});
