// Heartbeats: a step reports that it is at work, and learns from the call that it should stop (LEASE-1, CANCEL-1).

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction, ExecutionHandle } from "../../src/index.ts";
import { openTestEngine, type TestEngine, inspectEngine } from "../../src/testing/index.ts";
import { readEvents, flow, one, step } from "./sample-flow.ts";

/** Sends a heartbeat every second, and never checks its signal. */
class Beater {
  readonly beats: number[] = [];
  readonly stops: unknown[] = [];
  test: TestEngine | undefined;

  readonly work: AgentFunction = async (_, context) => {
    const test = this.test!;
    try {
      for (;;) {
        context.heartbeat();
        this.beats.push(test.now);
        await inspectEngine(test.engine).sleep(1000);
      }
    } catch (error) {
      this.stops.push([test.now, (error as Error).name]);
      throw error;
    }
  };
}

async function beating(definition = one()): Promise<{ test: TestEngine; beater: Beater; handle: ExecutionHandle }> {
  const beater = new Beater();
  const test = await openTestEngine({ agents: { work: beater.work } });
  beater.test = test;
  const handle = await test.start(definition);
  await test.untilIdle();
  return { test, beater, handle };
}

describe("a heartbeat", () => {
  it("LEASE-1 is shown by `status`, with its step and its time, the last one only", async () => {
    const { test, beater, handle } = await beating();
    await using _ = test;
    expect((await handle.status()).heartbeats).toEqual({ a: test.now });
    await test.advance("3500ms");
    expect(beater.beats).toHaveLength(4);
    expect((await handle.status()).heartbeats).toEqual({ a: test.now - 500 });
  });

  it("LEASE-1 is there for steps that beat, each by its own time, and while they run", async () => {
    const ends = new Map<string, () => void>();
    const held: AgentFunction = (_, context) => {
      context.heartbeat();
      return new Promise<void>((resolve) => ends.set(context.step.id, resolve));
    };
    await using test = await openTestEngine({ agents: { held } });
    const silent = step("silent", { agent: "never" });
    test.engine.agent("never", () => new Promise(() => undefined));
    test.engine.agent("later", async (input, context) => {
      await inspectEngine(test.engine).sleep(2000);
      return held(input, context);
    });
    const handle = await test.start(
      flow([step("first", { agent: "held" }), step("second", { agent: "later" }), silent]),
    );
    const begun = test.now;
    await test.advance("5s");
    expect((await handle.status()).heartbeats).toEqual({ first: begun, second: begun + 2000 });
    ends.get("first")!();
    await test.untilIdle();
    expect((await handle.status()).heartbeats).toEqual({ second: begun + 2000 });
    await handle.cancel({ graceMs: 0 });
    await test.advance(10);
    expect((await handle.status()).heartbeats).toEqual({});
  });

  it("LEASE-1 of an attempt is not that of the next one", async () => {
    let attempts = 0;
    const work: AgentFunction = (_, context) => {
      if (++attempts > 1) return new Promise(() => undefined);
      context.heartbeat();
      throw new Error("busy");
    };
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a")]));
    await test.advance("2s");
    expect([attempts, (await handle.status()).heartbeats]).toEqual([2, {}]);
  });

  it("LEASE-1 is nothing that the journal knows: it adds no event", async () => {
    const { test, handle } = await beating();
    await using _ = test;
    const { seq } = await handle.status();
    await test.advance("10s");
    expect((await handle.status()).seq).toBe(seq);
  });
});

describe("a loop that beats and does not look at its signal", () => {
  it("CANCEL-1 ends within the grace when its execution is cancelled, by itself", async () => {
    const { test, beater, handle } = await beating();
    await using _ = test;
    await test.advance("2500ms");
    const cancelled = test.now;
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    await test.advance("4s");
    expect(beater.stops).toEqual([[cancelled + 500, "AbortError"]]);
    expect((await handle.status()).status).toBe("cancelled");
    expect(await readEvents(handle, "step.cancelled")).toMatchObject([{ ended: "itself" }]);
    expect(beater.beats.at(-1)).toBe(cancelled - 500);
  });

  it("CANCEL-1 ends when its time is over, which is a timeout", async () => {
    const { test, beater, handle } = await beating(one({ timeout: durationMs(2500) }));
    await using _ = test;
    const deadline = test.now + 2500;
    await test.advance("4s");
    expect(beater.stops).toEqual([[deadline + 500, "AbortError"]]);
    expect(beater.beats.every((at) => at < deadline)).toBe(true);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", failure: { class: "timeout" } });
  });

  it("CANCEL-1 ends when the time of its execution is over", async () => {
    const { test, beater } = await beating(one({}, { timeout: durationMs(2500) }));
    await using _ = test;
    const deadline = test.now + 2500;
    await test.advance("4s");
    expect(beater.stops).toEqual([[deadline + 500, "AbortError"]]);
  });

  it("CANCEL-1 ends when another step failed the execution", async () => {
    const { test, beater, handle } = await beating(
      flow([step("a", { retry: { attempts: 1 } }), step("b", { agent: "fails", retry: { attempts: 1 } })]),
    );
    await using _ = test;
    test.engine.agent("fails", async () => {
      throw new Error("no");
    });
    await test.advance("5s");
    expect([(await handle.status()).status, beater.stops.length]).toEqual(["failed", 1]);
  });

  it("CANCEL-1 ends when the engine closes", async () => {
    const stops: unknown[] = [];
    const tick = Promise.withResolvers<void>();
    await using test = await openTestEngine({
      agents: {
        work: async (_, context) => {
          await tick.promise;
          try {
            context.heartbeat();
          } catch (error) {
            stops.push((error as Error).name);
          }
        },
      },
    });
    await test.start(one());
    await test.untilIdle();
    await test.engine.close();
    tick.resolve();
    await test.untilIdle();
    expect(stops).toEqual(["AbortError"]);
  });
});
