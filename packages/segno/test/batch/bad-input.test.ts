// Invalid configurations are refused with a stable code before anything is pulled or started.

import { describe, expect, it } from "vitest";
import { executeBatch } from "../../src/batch.ts";
import { openTestEngine } from "@segno/engine/testing";
import { Gate, WatchedSource } from "./fixture.ts";

const chunked = { mode: "chunked", size: 1, process: () => 1 };
const windowed = { mode: "windowed", process: () => 1 };
const streaming = { mode: "streaming", process: () => 1 };

async function run(items: unknown, config: unknown): Promise<unknown> {
  const given = executeBatch(items as never, config as never) as unknown as AsyncIterable<unknown> | Promise<unknown>;
  return given instanceof Promise ? given : given[Symbol.asyncIterator]().next();
}

describe("options that make no sense", () => {
  it.each<[object, string]>([
    [{ ...chunked, size: 0 }, "`size` is a whole number from 1 to 1000000, not 0"],
    [{ ...chunked, size: -1 }, "not -1"],
    [{ ...chunked, size: Number.NaN }, "not NaN"],
    [{ ...chunked, size: 1.5 }, "not 1.5"],
    [{ ...chunked, size: Infinity }, "not Infinity"],
    [{ ...chunked, size: "3" }, 'not "3"'],
    [{ mode: "chunked", process: () => 1 }, "`size`"],
    [{ ...chunked, concurrency: 0 }, "`concurrency` is a whole number from 1 to 10000, not 0"],
    [{ ...chunked, concurrency: 10_001 }, "not 10001"],
    [{ ...chunked, process: undefined }, "`process` is a function, not undefined"],
    [{ ...chunked, tolerance: -1 }, "`tolerance` is a whole number, or a percentage"],
    [{ ...chunked, tolerance: "101%" }, '"101%"'],
    [{ ...chunked, tolerance: "many" }, '"many"'],
    [{ ...chunked, tolerance: Number.NaN }, "NaN"],
    [{ ...chunked, retry: 0 }, "`retry`"],
    [{ ...chunked, retry: { attempts: 2, base: "soon" } }, "`retry.base`"],
    [{ ...chunked, timeout: -5 }, "`timeout`"],
    [{ ...chunked, grace: "now" }, "`grace`"],
    [{ ...chunked, totalTimeout: 0 }, "`totalTimeout`"],
    [{ ...chunked, signal: {} }, "`signal` is an AbortSignal"],
    [{ ...chunked, aggregate: { initial: 0 } }, "`aggregate`"],
    [{ ...chunked, retryFailed: "yes" }, "`retryFailed`"],
    [{ ...chunked, engine: {} }, "`engine` is an open engine"],
    [{ ...chunked, file: "" }, "`file` is a path"],
    [{ ...chunked, file: "a.db" }, "needs an `id`"],
    [{ ...chunked, id: "" }, "`id`"],
    [{ ...chunked, id: "a/b" }, "`id`"],
    [{ ...chunked, sise: 1 }, "a chunked batch has no option `sise`; did you mean `size`?"],
    [{ ...chunked, buffer: 1 }, "a chunked batch has no option `buffer`"],
    [windowed, "`count`, `time` or both"],
    [{ ...windowed, count: 0 }, "`count`"],
    [{ ...windowed, time: "-1s" }, "`time`"],
    [{ ...windowed, time: Number.NaN }, "`time`"],
    [{ ...streaming, buffer: -1 }, "`buffer`"],
    [{ ...streaming, ordered: 1 }, "`ordered` is true or false"],
    [{ ...streaming, time: "1s" }, "a stream with `time` also needs `size`"],
    [{ mode: "chunkd", process: () => 1 }, 'not "chunkd"; did you mean "chunked"?'],
    [{ mode: "toString" }, '`mode` must be "chunked", "windowed" or "streaming"'],
  ])("BEYOND-1 %j is refused", async (config, message) => {
    const source = new WatchedSource(3);
    const expected = { code: "OPTION_INVALID", message: expect.stringContaining(message) as string };
    await expect(run(source, config)).rejects.toMatchObject(expected);
    expect(source.pulled).toBe(0);
  });

  it.each([[null], [undefined], [7], ["text"], [{}], [{ length: 3 }]])("BEYOND-1 %j are no items", async (items) => {
    await expect(run(items, chunked)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(run(items, streaming)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("BEYOND-1 no configuration is none", async () => {
    await expect(run([], undefined)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(run([], null)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("items that are not JSON", () => {
  const items = [1, { when: new Map() }];

  it("BEYOND-1 are refused by a batch on an engine, by their number and the place", async () => {
    await using test = await openTestEngine();
    const error = { code: "BATCH_ITEM_INVALID", message: expect.stringMatching(/the item 1 .*when/u) as string };
    await expect(run(items, { ...chunked, engine: test.engine })).rejects.toMatchObject(error);
  });

  it("BEYOND-1 that are too large are refused as every value is", async () => {
    await using test = await openTestEngine();
    const large = ["a".repeat(10_485_761)];
    const error = { code: "VALUE_TOO_LARGE" };
    await expect(run(large, { ...chunked, engine: test.engine })).rejects.toMatchObject(error);
  });

  it("BEYOND-1 pass through a batch that has no journal as they are", async () => {
    const seen: unknown[] = [];
    const process = (given: readonly unknown[]): number => seen.push(...given);
    await executeBatch(items, { mode: "chunked", size: 2, process });
    expect(seen[1]).toBe(items[1]);
  });
});

describe("one id", () => {
  it("BEYOND-1 has one batch at a time in an engine", async () => {
    await using test = await openTestEngine();
    const gate = new Gate();
    const config = { mode: "chunked", size: 1, id: "twice", engine: test.engine } as const;
    const first = executeBatch([1], { ...config, process: () => gate.pass(1) });
    await test.untilIdle();
    await expect(run([1], { ...config, process: () => 1 })).rejects.toMatchObject({ code: "BATCH_UNDER_WAY" });
    gate.open(1);
    expect((await first).status).toBe("completed");
    expect(await run([1], { ...config, process: () => 1 })).toMatchObject({ status: "completed", results: [null] });
  });

  it("BEYOND-1 batches without one do not meet on the same engine", async () => {
    await using test = await openTestEngine();
    const batch = (factor: number) =>
      executeBatch([1, 2, 3], {
        mode: "chunked",
        size: 1,
        engine: test.engine,
        concurrency: 2,
        process: ([item]) => item! * factor,
      });
    const [ones, tens] = await Promise.all([batch(1), batch(10)]);
    expect([ones.results, tens.results]).toEqual([
      [1, 2, 3],
      [10, 20, 30],
    ]);
  });
});
