// Agents that do not stop, and agents that change values of others.

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { readEvents, flow, eventKinds, one, step } from "./sample-flow.ts";

/** An agent whose calls the test ends. */
class Held {
  readonly calls: PromiseWithResolvers<unknown>[] = [];
  readonly signals: AbortSignal[] = [];

  readonly work: AgentFunction = (_, { signal }) => {
    const call = Promise.withResolvers<unknown>();
    this.calls.push(call);
    this.signals.push(signal);
    return call.promise;
  };
}

describe("an agent that never settles", () => {
  it("FAIL-4 and has no timeout runs for ever, and holds up nobody", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]), fine: async () => "fine" } });
    const handle = await test.start(one());
    await test.advance("1d");
    expect(await handle.status()).toMatchObject({ status: "running", steps: [{ status: "running", attempts: 1 }] });
    expect(await (await test.start(one({ agent: "fine" }))).result()).toBe("fine");
  });

  it("FAIL-4 CANCEL-2 and has a timeout is told to stop exactly then, and given up after its grace", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(one({ timeout: durationMs(60_000) }));
    await test.advance(59_999);
    expect((await handle.status()).steps[0]!.status).toBe("running");
    await test.advance(5001);
    const [started] = await readEvents(handle, "step.started");
    const [overdue] = await readEvents(handle, "step.overdue");
    const [failed] = await readEvents(handle, "step.failed");
    expect(failed).toMatchObject({ failure: { class: "timeout", code: "ATTEMPT_TIMEOUT" } });
    const { at } = started!;
    expect([started!.deadline, overdue!.at, failed!.at]).toEqual([at + 60_000, at + 60_000, at + 65_000]);
  });

  it("SCHED-1 CANCEL-2 and is given up leaves its slot to the next", async () => {
    await using test = await openTestEngine({
      agents: { work: script([hang()]), fine: async () => "fine" },
      limits: { slots: 1 },
    });
    await test.start(one({ timeout: durationMs(1000) }));
    const next = await test.start(one({ agent: "fine" }));
    await test.advance(5999);
    expect((await next.status()).status).toBe("running");
    await test.advance(1);
    expect((await next.status()).status).toBe("completed");
  });
});

describe("a result that comes too late", () => {
  it("LEASE-2 after the timeout of its attempt counts for nothing", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held.work } });
    const retry = { attempts: 2, base: durationMs(1000), on: ["timeout" as const] };
    const handle = await test.start(one({ timeout: durationMs(500), retry }));
    await test.advance("6600ms");
    expect(held.calls).toHaveLength(2);
    held.calls[0]!.resolve("of the first attempt");
    await test.untilIdle();
    expect((await handle.status()).status).toBe("running");
    held.calls[1]!.resolve("of the second attempt");
    expect(await handle.result()).toBe("of the second attempt");
    expect((await readEvents(handle, "step.completed")).length).toBe(1);
  });

  it("LEASE-2 as an error after the end of its execution counts for nothing", async () => {
    const held = new Held();
    const faults: unknown[] = [];
    await using test = await openTestEngine({ agents: { work: held.work }, onFault: (error) => faults.push(error) });
    const handle = await test.start(one({ timeout: durationMs(500) }));
    await test.advance("6s");
    const before = await handle.status();
    expect(before.status).toBe("failed");
    held.calls[0]!.reject(new Error("too late"));
    await test.advance("1h");
    expect(await handle.status()).toEqual(before);
    expect(faults).toEqual([]);
  });

  it("LEASE-2 of a process that has crashed counts for nothing", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held.work } });
    const { id } = await test.start(one());
    await test.untilIdle();
    await test.crash();
    await test.untilIdle();
    expect(held.calls).toHaveLength(2);
    held.calls[0]!.resolve("of the dead process");
    await test.untilIdle();
    const handle = await test.get(id);
    expect((await handle.status()).status).toBe("running");
    held.calls[1]!.resolve("of the living one");
    expect(await handle.result()).toBe("of the living one");
  });

  it("FAIL-4 of an agent that looks away while its deadline passes does not succeed", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed("late", { after: 510 })]) } });
    const handle = await test.start(one({ timeout: durationMs(500) }));
    await test.advance("1s");
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "ATTEMPT_TIMEOUT" } });
    expect(await eventKinds(handle)).not.toContain("step.completed");
  });
});

describe("a timeout", () => {
  it("CANCEL-1 fires the signal of its attempt, and of no other", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held.work } });
    await test.start(one({ timeout: durationMs(500) }));
    await test.start(one());
    await test.advance("1s");
    expect(held.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it("FAIL-4 is told to the agent as its deadline", async () => {
    const seen: unknown[] = [];
    const work: AgentFunction = (_, { deadline }) => void seen.push(deadline);
    await using test = await openTestEngine({ agents: { work } });
    await test.start(one({ timeout: durationMs(500) }));
    await test.start(one());
    await test.untilIdle();
    expect(seen).toEqual([test.now + 500, undefined]);
  });

  it("FAIL-4 bounds each attempt, not all of them together", async () => {
    const work = script([succeed(1, { after: 400 })]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(
      flow([step("a", { timeout: durationMs(500) }), step("b", { after: ["a"], timeout: durationMs(500) })]),
    );
    await test.advance("800ms");
    expect((await handle.status()).status).toBe("completed");
  });
});

describe("the timeout of a workflow", () => {
  const slow = flow(
    [
      step("a", { timeout: durationMs(700), retry: { attempts: 9, base: durationMs(1), on: ["timeout"] } }),
      step("b", { after: ["a"] }),
    ],
    {
      timeout: durationMs(1000),
      grace: durationMs(50),
    },
  );

  it("FAIL-4 ends the execution, whatever its steps may still do (EXECUTION_TIMEOUT)", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(slow);
    await test.advance(999);
    expect((await handle.status()).status).toBe("running");
    await test.advance("1s");
    await expect(handle.result()).rejects.toMatchObject({ failure: { class: "timeout", code: "EXECUTION_TIMEOUT" } });
    const [started] = await readEvents(handle, "execution.started");
    const [failing] = await readEvents(handle, "execution.failing");
    expect(failing!.at - started!.at).toBe(1000);
  });

  it("FAIL-4 goes on counting while nobody is there", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const { id } = await test.start(slow);
    await test.advance(100);
    await test.crash({ stayDead: true });
    await test.advance("1h");
    await test.reopen();
    await test.advance("1s");
    await expect((await test.get(id)).result()).rejects.toMatchObject({ failure: { code: "EXECUTION_TIMEOUT" } });
  });

  it("FAIL-4 ends a wait as well", async () => {
    await using test = await openTestEngine();
    const wait = { id: step("w").id, action: { kind: "wait", on: "signal", signal: "go" } } as const;
    const handle = await test.start(flow([wait], { timeout: durationMs(1000) }));
    await test.advance("1s");
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "EXECUTION_TIMEOUT" } });
  });
});
