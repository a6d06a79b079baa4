// Batches that end early: by a signal, a time limit, a reader that stops, or a source that fails.

import { describe, expect, it } from "vitest";
import { SegnoError } from "@segno/kernel";
import { BatchError, executeBatch } from "../../src/batch.ts";
import { Engine } from "../../src/index.ts";
import { openTestEngine, inspectEngine } from "@segno/engine/testing";
import { collect, Gate, collectOutputs, PushedSource, range, SlowStore, WatchedSource } from "./fixture.ts";

async function readFailure(run: Promise<unknown>): Promise<BatchError> {
  const error = await run.then(
    () => undefined,
    (each: unknown) => each,
  );
  expect(error).toBeInstanceOf(BatchError);
  return error as BatchError;
}

/** Waits until it is told to stop. */
const untilStopped = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a signal", () => {
  it("CANCEL-1 BEYOND-1 cancels what is under way, and the source is left", async () => {
    const source = new WatchedSource(100);
    const controller = new AbortController();
    const done = executeBatch(source, {
      mode: "chunked",
      size: 2,
      concurrency: 3,
      signal: controller.signal,
      process: untilStopped,
    });
    while (source.pulled < 6) await new Promise(setImmediate);
    controller.abort();
    expect(await done).toMatchObject({ status: "cancelled", items: 6, cancelled: 6, results: [] });
    expect([source.pulled, source.returns]).toEqual([6, 1]);
  });

  it("CANCEL-1 BEYOND-1 that has fired already lets nothing begin", async () => {
    const source = new WatchedSource(5);
    const signal = AbortSignal.abort();
    const result = await executeBatch(source, { mode: "chunked", size: 2, signal, process: () => 1 });
    expect([result.status, result.items, source.pulled]).toEqual(["cancelled", 0, 0]);
  });

  it("CANCEL-1 BEYOND-1 ends a batch whose source never gives anything", async () => {
    const controller = new AbortController();
    const source = new PushedSource<number>();
    const done = executeBatch(source, { mode: "windowed", count: 2, signal: controller.signal, process: () => 1 });
    await source.asked;
    controller.abort();
    expect(await done).toMatchObject({ status: "cancelled", items: 0 });
  });
});

describe("a signal at a bad moment", () => {
  it("CANCEL-1 BEYOND-1 ends a batch whose source is in the middle of a pull, and does not wait for it", async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    async function* never(): AsyncGenerator<number> {
      begun.resolve();
      await new Promise(() => undefined);
      yield 1;
    }
    const done = executeBatch(never(), { mode: "chunked", size: 1, signal: controller.signal, process: () => 1 });
    await begun.promise;
    controller.abort();
    expect((await done).status).toBe("cancelled");
  });

  it("CANCEL-1 BEYOND-1 cancels a chunk that is just about to begin", async () => {
    const controller = new AbortController();
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store = new SlowStore(async () => {
      asked.resolve();
      await answer.promise;
    });
    await using engine = await Engine.open({ store });
    const config = { mode: "chunked", size: 1, engine, signal: controller.signal, process: untilStopped } as const;
    const done = executeBatch([1], config);
    await asked.promise;
    controller.abort();
    answer.resolve();
    expect(await done).toMatchObject({ status: "cancelled", cancelled: 1 });
  });
});

describe("time", () => {
  it("FAIL-4 BEYOND-1 a chunk that never settles ends with its timeout, and is tried as often as it may be", async () => {
    await using test = await openTestEngine();
    const attempts: number[] = [];
    const done = executeBatch([1], {
      mode: "chunked",
      size: 1,
      engine: test.engine,
      timeout: "1m",
      grace: "1s",
      retry: { attempts: 2, base: "10s", on: ["timeout"] },
      process: (_, { attempt }) => {
        attempts.push(attempt);
        return new Promise(() => undefined);
      },
    });
    await test.advance("5m");
    const { status, errors } = await done;
    expect([status, attempts]).toEqual(["failed", [1, 2]]);
    expect(errors).toMatchObject([{ index: 0, failure: { class: "timeout", code: "ATTEMPT_TIMEOUT" } }]);
  });

  it("FAIL-3 BEYOND-1 a chunk that fails for now is tried again by the engine's policy", async () => {
    await using test = await openTestEngine();
    const times: number[] = [];
    const done = executeBatch([1, 2], {
      mode: "chunked",
      size: 2,
      engine: test.engine,
      process: (items, { attempt }) => {
        times.push(test.now);
        if (attempt < 3) throw new Error("busy");
        return items.length;
      },
    });
    await test.advance("1m");
    expect((await done).results).toEqual([2]);
    expect(times.map((time) => Math.round((time - times[0]!) / 1000))).toEqual([0, 1, 3]);
  });

  it("BEYOND-1 the whole batch has a timeout of its own", async () => {
    await using test = await openTestEngine();
    const done = executeBatch(range(9), {
      mode: "chunked",
      size: 1,
      concurrency: 2,
      engine: test.engine,
      totalTimeout: "1h",
      process: ([item], context) => (item === 0 ? item : untilStopped(item, context)),
    });
    await test.advance("2h");
    const result = await done;
    expect(result).toMatchObject({ status: "failed", failure: { code: "BATCH_TIMEOUT", class: "timeout" } });
    expect(result).toMatchObject({ results: [0], cancelled: 2, items: 3 });
  });

  it("BEYOND-1 no alarm is left behind by a batch that was in time", async () => {
    await using test = await openTestEngine();
    const before = inspectEngine(test.engine).timerCount;
    await executeBatch([1], { mode: "chunked", size: 1, engine: test.engine, totalTimeout: "1d", process: () => 1 });
    await test.advance(8);
    expect(inspectEngine(test.engine).timerCount).toBe(before);
  });
});

describe("a reader who has read enough", () => {
  it("CANCEL-1 BEYOND-1 leaves nothing running, and the source is left", async () => {
    await using test = await openTestEngine();
    const source = new WatchedSource(100);
    const seen = { running: 0, stopped: 0 };
    const stream = executeBatch(source, {
      mode: "streaming",
      engine: test.engine,
      concurrency: 4,
      process: async (item, context) => {
        if (item === 0) return item;
        seen.running++;
        return untilStopped(item, context).finally(() => seen.stopped++);
      },
    });
    for await (const outcome of stream) {
      expect(outcome).toMatchObject({ index: 0 });
      while (seen.running < 4) await new Promise(setImmediate);
      break;
    }
    expect([source.returns, seen.stopped, inspectEngine(test.engine).liveCount]).toEqual([1, 4, 0]);
    expect(await stream.summary).toMatchObject({ status: "stopped", processed: 1, cancelled: 4 });
  });

  it("BEYOND-1 who never reads leaves nothing behind either", async () => {
    const source = new WatchedSource(5);
    const stream = executeBatch(source, { mode: "streaming", process: (item) => item });
    await stream.return();
    expect([source.pulled, (await stream.summary).status, (await stream.next()).done]).toEqual([0, "stopped", true]);
  });

  it("BEYOND-1 a call that still waits is answered when somebody else stops", async () => {
    const source = new PushedSource<number>();
    const stream = executeBatch(source, { mode: "streaming", process: (item) => item });
    const waiting = stream.next();
    await source.asked;
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it("BEYOND-1 `await using` ends a stream as well", async () => {
    const source = new WatchedSource(100);
    {
      await using stream = executeBatch(source, { mode: "streaming", process: (item) => item });
      await stream.next();
    }
    expect(source.returns).toBe(1);
  });
});

describe("a source that fails", () => {
  async function* failingAfter(count: number): AsyncGenerator<number> {
    yield* range(count);
    throw new Error("the line is cut");
  }

  it("BEYOND-1 midway: what was begun ends, and the error says how far it came", async () => {
    const run = executeBatch(failingAfter(5), { mode: "chunked", size: 2, concurrency: 2, process: (items) => items });
    const { code, message, cause, result } = await readFailure(run);
    expect([code, message]).toEqual(["BATCH_SOURCE_FAILED", expect.stringContaining("after 5 items: the line is cut")]);
    expect((cause as SegnoError).cause).toMatchObject({ message: "the line is cut" });
    expect(result).toMatchObject({
      processed: 4,
      results: [
        [0, 1],
        [2, 3],
      ],
    });
  });

  it("BEYOND-1 in a stream: everything before it is given first, and the summary says it too", async () => {
    const stream = executeBatch(failingAfter(3), { mode: "streaming", concurrency: 2, process: (item) => item });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const outcome of stream) seen.push(...collectOutputs([outcome]));
    })();
    expect((await readFailure(reading)).code).toBe("BATCH_SOURCE_FAILED");
    expect([seen, (await readFailure(stream.summary)).code]).toEqual([[0, 1, 2], "BATCH_SOURCE_FAILED"]);
  });

  it.each<[string, unknown]>([
    ["next gives no object", { [Symbol.iterator]: () => ({ next: () => 1 }) }],
    ["it cannot be begun", { [Symbol.asyncIterator]: () => undefined }],
    [
      "what is thrown cannot be read",
      {
        [Symbol.iterator]: () => ({
          next: () => {
            throw { toString: 1 };
          },
        }),
      },
    ],
  ])("BEYOND-1 by its form: %s", async (_, source) => {
    const run = executeBatch(source as Iterable<number>, { mode: "chunked", size: 1, process: () => 1 });
    expect((await readFailure(run)).code).toBe("BATCH_SOURCE_FAILED");
  });

  it("BEYOND-1 when it is left is a fault like any other", async () => {
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false as const, value: 1 }),
        return: (): never => {
          throw new Error("cannot close");
        },
      }),
    };
    const stream = executeBatch(source, { mode: "streaming", process: (item) => item });
    await stream.next();
    expect((await readFailure(stream.return())).message).toContain("cannot close");
  });
});

describe("what fails beside the source", () => {
  it("BEYOND-1 an engine that is closed under a batch ends it", async () => {
    await using test = await openTestEngine();
    const gate = new Gate();
    const run = executeBatch(range(3), {
      mode: "chunked",
      size: 1,
      engine: test.engine,
      process: ([item]) => gate.pass(item!),
    });
    await test.untilIdle();
    await test.engine.close();
    expect((await readFailure(run)).code).toBe("ENGINE_CLOSED");
  });

  it("BEYOND-1 an `aggregate` that throws ends the batch when what is under way has ended", async () => {
    const reduce = (): never => {
      throw new Error("no sum");
    };
    const run = executeBatch(range(5), {
      mode: "chunked",
      size: 1,
      concurrency: 2,
      process: (items) => items,
      aggregate: { initial: 0, reduce },
    });
    const { code, result } = await readFailure(run);
    expect([code, result.items >= 1, result.failed]).toEqual(["BATCH_AGGREGATE_FAILED", true, 0]);
    await collect(executeBatch([], { mode: "streaming", process: () => 1 }));
  });
});
