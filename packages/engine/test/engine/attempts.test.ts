// The records of every attempt, including lost ones (FAIL-5, FAIL-9).

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { fail, hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { readEvents, flow, readHistory, one, step } from "./sample-flow.ts";

const scratch = scratchFolder();

describe("every attempt", () => {
  it("FAIL-5 is recorded with its start, its end and its error", async () => {
    const work = script([
      fail("first", { after: 80 }),
      fail("second", { after: 160 }),
      succeed("third", { after: 240 }),
    ]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(one({ retry: { attempts: 3, base: durationMs(1000) } }));
    const begin = test.now;
    await test.advance("10s");
    const seen = (await readHistory(handle)).flatMap(({ kind, at, step: id, event }) =>
      id === undefined ? [] : [[kind, at - begin, id, "failure" in event ? event.failure?.message : undefined]],
    );
    expect(seen).toEqual([
      ["step.started", 0, "a", undefined],
      ["step.retried", 80, "a", "first"],
      ["step.started", 1080, "a", undefined],
      ["step.retried", 1240, "a", "second"],
      ["step.started", 3240, "a", undefined],
      ["step.completed", 3480, "a", undefined],
    ]);
  });

  it("EVENT-1 is named by each of its events, not only by its start", async () => {
    await using test = await openTestEngine({
      agents: { work: script([fail("busy"), fail("no", { permanent: true })]) },
    });
    const handle = await test.start(flow([step("a")]));
    await test.advance("10s");
    const seen = (await readHistory(handle)).flatMap(({ kind, attempt }) =>
      kind.startsWith("step.") ? [[kind, attempt]] : [],
    );
    expect(seen).toEqual([
      ["step.started", 1],
      ["step.retried", 1],
      ["step.started", 2],
      ["step.failed", 2],
    ]);
  });

  it("FAIL-5 is recorded with the place where it ran", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const handle = await test.start(one());
    await handle.result();
    expect((await readEvents(handle, "step.started"))[0]!.worker).toMatch(/\S/u);
  });

  it("FAIL-3 LEASE-2 has a number and an epoch of its own, the last failure being the step's", async () => {
    const work = script([fail("first"), fail("second"), fail("third")]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a")]));
    await test.advance("1m");
    const started = await readEvents(handle, "step.started");
    expect(started.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(started.map(({ epoch }) => epoch)).toEqual(started.map(({ epoch }) => epoch).toSorted((a, b) => a - b));
    expect(new Set(started.map(({ epoch }) => epoch)).size).toBe(3);
    await expect(handle.result()).rejects.toMatchObject({ failure: { message: "third" } });
    expect((await handle.status()).steps[0]).toMatchObject({ attempts: 3 });
  });
});

describe("what is told of an attempt", () => {
  it("EVENT-1 is told to subscribers with execution, workflow, step and correlation id", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const seen: unknown[] = [];
    test.engine.subscribe({ kinds: ["step.started"] }, ({ events }) => {
      for (const { executionId, workflow, step: id, correlationId } of events)
        seen.push([executionId, workflow, id, correlationId]);
    });
    await test.start(one(), null, { id: "mine", correlationId: "order-7" });
    await test.untilIdle();
    expect(seen).toEqual([["mine", "flow", "a", "order-7"]]);
  });
});

describe("attempts that are lost with their process", () => {
  it("FAIL-9 count against a cap; then the execution is parked with the reason, and stays so", async () => {
    const work = script([hang()]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(one({ retry: { attempts: 1 } }));
    for (let crash = 0; crash < 5; crash++) {
      await test.advance("1m");
      await test.crash();
    }
    await test.advance("1m");
    const handle = await test.get(id);
    expect((await handle.status()).status).toBe("parked");
    const [parked] = await readEvents(handle, "execution.parked");
    expect(parked!.reason).toMatch(/lost|crash/u);
    expect(await readEvents(handle, "step.lost")).toHaveLength(5);
    const calls = work.calls.length;
    await test.crash();
    await test.advance("1d");
    expect([(await (await test.get(id)).status()).status, work.calls.length]).toEqual(["parked", calls]);
  });

  it("FAIL-9 are no attempts of the policy: four crashes leave a step that may be tried once its try", async () => {
    const work = script([hang(), hang(), hang(), hang(), succeed("at last")]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(one({ retry: { attempts: 1 } }));
    for (let crash = 0; crash < 4; crash++) {
      await test.advance("1m");
      await test.crash();
    }
    await test.advance("1m");
    expect(await (await test.get(id)).result()).toBe("at last");
  });

  it("FAIL-9 let the execution go on when somebody has looked", async () => {
    const work = script([hang(), hang(), hang(), hang(), hang(), succeed("at last")]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(one());
    for (let crash = 0; crash < 5; crash++) {
      await test.advance("1m");
      await test.crash();
    }
    await test.advance("1m");
    const handle = await test.get(id);
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    expect(await handle.result()).toBe("at last");
  });

  it("JOURNAL-3 on a file, a process that closes in the middle loses its attempt, and the next one makes it again", async () => {
    const file = scratch.file();
    const first = await Engine.open({ file, agents: { work: () => new Promise(() => undefined) } });
    const { id } = await first.start(one());
    await first.close();
    await using second = await Engine.open({ file, agents: { work: async (_, { attempt }) => `attempt ${attempt}` } });
    const handle = await second.get(id);
    await handle.result();
    expect((await readEvents(handle, "step.started")).length).toBe(2);
    expect((await readEvents(handle, "step.completed")).length).toBe(1);
    expect(await second.verify(id)).toMatchObject({ ok: true });
  });
});
