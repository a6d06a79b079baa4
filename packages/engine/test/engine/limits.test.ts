// Back-pressure: work beyond a limit waits, and is resumed or refused.

import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { hang, openTestEngine, script, inspectEngine } from "../../src/testing/index.ts";
import { afterWaiting, one } from "./sample-flow.ts";

/** The test ends each call. */
function held(): { readonly ends: ((value: unknown) => void)[]; readonly work: AgentFunction } {
  const ends: ((value: unknown) => void)[] = [];
  return { ends, work: () => new Promise((resolve) => ends.push(resolve)) };
}

describe("a start beyond `limits.liveExecutions`", () => {
  it("SCHED-1 waits until one ends, and the one that has waited longest is next", async () => {
    const { ends, work } = held();
    await using test = await openTestEngine({ agents: { work }, limits: { liveExecutions: 2 } });
    const begun: string[] = [];
    const begin = (id: string): Promise<unknown> => test.start(one(), null, { id }).then(() => begun.push(id));
    await Promise.all([begin("a"), begin("b")]);
    const waiting = [begin("c"), begin("d")];
    await test.advance("1h");
    expect([begun, inspectEngine(test.engine).liveCount]).toEqual([["a", "b"], 2]);
    ends[0]!("over");
    await test.untilIdle();
    expect([begun, inspectEngine(test.engine).liveCount]).toEqual([["a", "b", "c"], 2]);
    ends[1]!("over");
    await Promise.all(waiting);
    await test.untilIdle();
    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect((await test.engine.list()).executions).toHaveLength(4);
  });

  it("SCHED-1 is not there before it has begun", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) }, limits: { liveExecutions: 1 } });
    const first = await test.start(one());
    const waiting = test.start(one(), null, { id: "waiting" });
    await test.untilIdle();
    await expect(test.get("waiting")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    await first.cancel({ graceMs: 0 });
    await test.advance("1s");
    expect((await (await waiting).status()).status).toBe("running");
  });

  it("SCHED-1 goes on when the one before it fails or is cancelled", async () => {
    const calls: PromiseWithResolvers<unknown>[] = [];
    const work: AgentFunction = () => {
      calls.push(Promise.withResolvers());
      return calls.at(-1)!.promise;
    };
    await using test = await openTestEngine({ agents: { work }, limits: { liveExecutions: 1 } });
    await test.start(one());
    const second = test.start(one());
    await test.untilIdle();
    calls[0]!.reject(new Error("no"));
    await (await second).cancel({ graceMs: 0 });
    const third = test.start(one());
    await test.advance("1s");
    expect((await (await third).status()).status).toBe("running");
  });

  it("ENGINE_CLOSED is refused when the engine closes while it waits", async () => {
    const test = await openTestEngine({ agents: { work: script([hang()]) }, limits: { liveExecutions: 1 } });
    await test.start(one());
    const waiting = test.start(one()).catch((error: unknown) => error);
    await test.untilIdle();
    await test.engine.close();
    expect(await waiting).toMatchObject({ code: "ENGINE_CLOSED" });
  });

  it("SCHED-1 waits for executions that only wait as well, and is served when their time has come", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, limits: { liveExecutions: 1 } });
    await test.start(afterWaiting(1000));
    const second = test.start(one());
    await test.advance("2s");
    expect((await (await second).status()).status).toBe("completed");
  });
});

describe("attempts beyond `limits.slots` and `limits.perAgent`", () => {
  it.each([
    ["10 in all", 20, (index: number) => `agent-${index}`, 10],
    ["3 of one agent", 20, () => "same", 3],
  ])("SCHED-1 wait: %s run at once", async (_, count, nameOf, expected) => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const work: AgentFunction = async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    };
    const names = Array.from({ length: count }, (_each, index) => nameOf(index));
    await using test = await openTestEngine({ agents: Object.fromEntries(names.map((name) => [name, work])) });
    const handles = await Promise.all(names.map((agent) => test.start(one({ agent }))));
    await test.untilIdle();
    expect(running).toBe(expected);
    while (ends.length > 0) {
      ends.shift()!();
      await test.untilIdle();
    }
    expect([most, running]).toEqual([expected, 0]);
    for (const handle of handles) expect((await handle.status()).status).toBe("completed");
  });
});
