// Batches in a journal: after a kill at any moment, they continue.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PermanentError } from "@segno/kernel";
import { executeBatch, type ChunkedConfig } from "../../src/batch.ts";
import { openTestEngine, type TestEngine } from "@segno/engine/testing";
import { splitIntoChunks, collect, Gate, hangingFrom, collectOutputs, range } from "./fixture.ts";

type Numbers = readonly number[];

function config(test: TestEngine, more: Partial<ChunkedConfig<number, Numbers>> = {}): ChunkedConfig<number, Numbers> {
  return { mode: "chunked", size: 2, id: "import", engine: test.engine, process: (items) => items, ...more };
}

describe("a batch with an id", () => {
  it("JOURNAL-3 BEYOND-1 goes on after a crash, and does not do again what was done", async () => {
    await using test = await openTestEngine();
    const [before, after]: [Numbers[], Numbers[]] = [[], []];
    void executeBatch(range(10), config(test, { process: hangingFrom(3, before) })).catch(() => undefined);
    await test.untilIdle();
    await test.crash();
    const process = hangingFrom(Infinity, after);
    const { results, processed } = await executeBatch(range(10), config(test, { process }));
    expect([results, processed]).toEqual([splitIntoChunks(range(10), 2), 10]);
    expect([before, after]).toEqual([splitIntoChunks(range(6), 2), splitIntoChunks(range(4, 6), 2)]);
  });

  it("JOURNAL-3 BEYOND-1 whenever it is killed, every chunk has one result, and few are done twice", async () => {
    const run = async (count: number, size: number, concurrency: number, crashes: Numbers): Promise<void> => {
      await using test = await openTestEngine();
      const done = new Map<number, number>();
      const process =
        (hangFrom: number) =>
        async (items: Numbers, { chunk }: { readonly chunk: number }) => {
          if (chunk >= hangFrom) await new Promise(() => undefined);
          done.set(chunk, (done.get(chunk) ?? 0) + 1);
          return items;
        };
      for (const crash of crashes) {
        const hanging = config(test, { size, concurrency, process: process(crash) });
        void executeBatch(range(count), hanging).catch(() => undefined);
        await test.untilIdle();
        await test.crash();
      }
      const { results } = await executeBatch(range(count), config(test, { size, concurrency, process: process(99) }));
      expect(results).toEqual(splitIntoChunks(range(count), size));
      expect([...done.values()].every((times) => times === 1)).toBe(true);
    };
    const few = fc.integer({ min: 1, max: 4 });
    const crashes = fc.array(fc.nat({ max: 9 }), { maxLength: 4 });
    await fc.assert(fc.asyncProperty(fc.nat({ max: 20 }), few, few, crashes, run), { numRuns: 25 });
  });
});

describe("a batch that is executed again", () => {
  it("BEYOND-1 when it has ended gives the same, and does nothing", async () => {
    await using test = await openTestEngine();
    let calls = 0;
    const process = (items: Numbers): Numbers => {
      calls++;
      if (items[0] === 2) throw new PermanentError("no");
      return items;
    };
    const again = (): Promise<unknown> => executeBatch(range(6), config(test, { process, tolerance: 2 }));
    expect(await again()).toEqual(await again());
    expect(calls).toBe(3);
  });

  it("BEYOND-1 a stream goes on item by item", async () => {
    await using test = await openTestEngine();
    const seen: number[] = [];
    const stream = () =>
      executeBatch(range(6), {
        mode: "streaming",
        id: "stream",
        engine: test.engine,
        concurrency: 2,
        process: (item) => seen.push(item),
      });
    for await (const { index } of stream()) if (index === 2) break;
    const outcomes = await collect(stream());
    expect(outcomes).toHaveLength(6);
    expect(collectOutputs(outcomes)).toHaveLength(6);
    // Chunks that ran when the reader stopped were cancelled, and run again; earlier ones do not.
    expect(seen.filter((item) => item <= 2)).toEqual([0, 1, 2]);
  });

  it("BEYOND-1 `retryFailed` tries again what failed, and only that", async () => {
    await using test = await openTestEngine();
    const seen: Numbers[] = [];
    const first = await executeBatch(
      range(6),
      config(test, {
        tolerance: "100%",
        process: (items) => {
          if (items[0] === 2) throw new PermanentError("no");
          return items;
        },
      }),
    );
    const process = (items: Numbers): Numbers => (seen.push(items), items);
    const second = await executeBatch(range(6), config(test, { retryFailed: true, process }));
    expect([first.failed, second.results, seen]).toEqual([2, splitIntoChunks(range(6), 2), [[2, 3]]]);
  });

  it("BEYOND-1 what was cancelled is done again", async () => {
    await using test = await openTestEngine();
    const controller = new AbortController();
    const gate = new Gate();
    const process = async (items: Numbers, { signal }: { readonly signal: AbortSignal }): Promise<Numbers> => {
      if (items[0] === 2)
        await Promise.race([gate.pass(2), new Promise((end) => signal.addEventListener("abort", end))]);
      signal.throwIfAborted();
      return items;
    };
    const { signal } = controller;
    const done = executeBatch(range(6), config(test, { process, signal }));
    await test.untilIdle();
    controller.abort();
    expect(await done).toMatchObject({ status: "cancelled", processed: 2, cancelled: 2, results: [[0, 1]] });
    const second = await executeBatch(range(6), config(test));
    expect(second).toMatchObject({ status: "completed", results: splitIntoChunks(range(6), 2) });
  });
});

describe("a source that is asked again", () => {
  it.each<[string, unknown[], object]>([
    ["other items", [0, 1, 2, 9], {}],
    ["fewer items", [0, 1, 2], {}],
    ["items in another order", [1, 0, 2, 3], {}],
    ["the same items in other chunks", [0, 1, 2, 3], { size: 3 }],
  ])("BEYOND-1 %s are refused, and nothing is mixed", async (_, items, more) => {
    await using test = await openTestEngine();
    await executeBatch(range(4), config(test));
    const refused = executeBatch(items as number[], config(test, more));
    await expect(refused).rejects.toMatchObject({ name: "BatchError", code: "BATCH_CHANGED" });
  });

  it("BEYOND-1 what was done beside a refused chunk is in the error", async () => {
    await using test = await openTestEngine();
    await executeBatch(range(4), config(test, { size: 1 }));
    const refused = executeBatch([0, 9, 2, 3], config(test, { size: 1, concurrency: 4 }));
    await expect(refused).rejects.toMatchObject({
      code: "BATCH_CHANGED",
      result: { results: [[0], [2], [3]], processed: 3 },
    });
  });

  it("BEYOND-1 items whose keys come in another order are the same items", async () => {
    await using test = await openTestEngine();
    const run = (items: readonly object[]): Promise<unknown> =>
      executeBatch(items, {
        mode: "chunked",
        size: 1,
        id: "keys",
        engine: test.engine,
        process: (each) => each.length,
      });
    await run([{ a: 1, b: { c: 2, d: 3 } }]);
    expect(await run([{ b: { d: 3, c: 2 }, a: 1 }])).toMatchObject({ results: [1] });
  });

  it("BEYOND-1 more items than before are added", async () => {
    await using test = await openTestEngine();
    await executeBatch(range(4), config(test));
    expect((await executeBatch(range(7), config(test))).results).toEqual(splitIntoChunks(range(7), 2));
  });

  it("BEYOND-1 large items are compared as well", async () => {
    await using test = await openTestEngine();
    const run = (text: string): Promise<unknown> =>
      executeBatch([text], { mode: "chunked", size: 1, id: "large", engine: test.engine, process: () => 1 });
    await run("a".repeat(200_000));
    expect(await run("a".repeat(200_000))).toMatchObject({ results: [1] });
    await expect(run(`${"a".repeat(199_999)}b`)).rejects.toMatchObject({ code: "BATCH_CHANGED" });
  });
});

describe("what a process leaves behind", () => {
  it("SCHED-1 BEYOND-1 what goes on after a crash counts among those at once", async () => {
    await using test = await openTestEngine();
    const two = { size: 1, concurrency: 2 };
    void executeBatch(range(9), config(test, { ...two, process: hangingFrom(3, []) })).catch(() => undefined);
    await test.untilIdle();
    await test.crash();
    let [running, most] = [0, 0];
    const process = async (items: Numbers): Promise<Numbers> => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return items;
    };
    const { results } = await executeBatch(range(9), config(test, { ...two, process }));
    expect([results, most]).toEqual([splitIntoChunks(range(9), 1), 2]);
  });

  it("FAIL-9 BEYOND-1 a chunk that many crashes have parked goes on when the batch is executed again", async () => {
    const hang = (): Promise<never> => new Promise(() => undefined);
    // The batch replaces this function, because it is of a workflow; it would not replace an agent of the engine.
    const hanging = {
      definition: { name: "hanging", steps: [] },
      agents: new Map([["batch/import/process", { execute: hang }]]),
    };
    await using test = await openTestEngine({ workflows: [hanging] });
    void executeBatch(range(2), config(test, { process: hang })).catch(() => undefined);
    await test.untilIdle();
    for (let crash = 0; crash < 6; crash++) {
      await test.crash();
      await test.advance("1h");
    }
    expect((await (await test.get("import/0")).status()).status).toBe("parked");
    expect((await executeBatch(range(2), config(test))).results).toEqual([[0, 1]]);
  });

  it("BEYOND-1 a batch does not touch what another one left unfinished", async () => {
    await using test = await openTestEngine();
    for (const id of ["first", "second"])
      void executeBatch(range(6), config(test, { id, process: hangingFrom(1, []) })).catch(() => undefined);
    await test.untilIdle();
    await test.crash();
    const first = await executeBatch(range(6), config(test, { id: "first" }));
    await test.untilIdle();
    const second = await executeBatch(range(6), config(test, { id: "second" }));
    expect([first.results, second.results]).toEqual([splitIntoChunks(range(6), 2), splitIntoChunks(range(6), 2)]);
  });

  it("BEYOND-1 a batch without an id is not gone on with, and another one does not do its work", async () => {
    await using test = await openTestEngine();
    const nameless = (process: (items: Numbers) => unknown) =>
      executeBatch(range(4), { mode: "chunked", size: 2, engine: test.engine, process });
    void nameless(() => new Promise(() => undefined)).catch(() => undefined);
    await test.untilIdle();
    await test.crash();
    const seen: Numbers[] = [];
    const result = await nameless((items) => seen.push(items));
    await test.untilIdle();
    expect([result.results, seen]).toEqual([[1, 2], splitIntoChunks(range(4), 2)]);
    const { executions } = await test.engine.list();
    expect(executions.map(({ status }) => status).toSorted()).toEqual(["completed", "completed", "failed"]);
  });
});
