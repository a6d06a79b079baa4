// Unregistered agents, and agents with names that have a meaning in JavaScript.

import { describe, expect, it } from "vitest";
import { openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { readEvents, flow, eventKinds, one, step } from "./sample-flow.ts";

describe("an agent that nobody has registered", () => {
  it.each(["nobody", "constructor", "__proto__", "toString"])(
    "FAIL-9 parks its execution with a reason that names it: %s",
    async (agent) => {
      await using test = await openTestEngine();
      const handle = await test.start(one({ agent }));
      await test.advance("1h");
      expect((await handle.status()).status).toBe("parked");
      const parked = await readEvents(handle, "execution.parked");
      expect(parked).toHaveLength(1);
      expect(parked[0]!.reason).toContain(agent);
      expect([parked[0]!.cause, (await handle.status()).cause]).toEqual(["no-agent", "no-agent"]);
      expect(await eventKinds(handle)).not.toContain("step.started");
    },
  );

  it("FAIL-9 lets it go on as soon as it is registered, and the attempt is the first", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const handle = await test.start(flow([step("a"), step("b", { agent: "later", after: ["a"] })]));
    await test.untilIdle();
    expect((await handle.status()).status).toBe("parked");
    const attempts: number[] = [];
    test.engine.agent("later", (_, { attempt }) => void attempts.push(attempt));
    await test.untilIdle();
    expect([attempts, (await handle.status()).status]).toEqual([[1], "completed"]);
  });

  it("FAIL-9 is not asked for again when another one is registered", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(one({ agent: "nobody" }));
    await test.untilIdle();
    test.engine.agent("somebody", async () => 1);
    await test.untilIdle();
    expect((await handle.status()).status).toBe("parked");
  });

  it("FAIL-9 lets it go on after a restart, when the new process has it", async () => {
    const work = script([succeed("done")]);
    const agents: Record<string, typeof work> = {};
    await using test = await openTestEngine({ agents });
    const { id } = await test.start(one());
    await test.untilIdle();
    agents["work"] = work;
    await test.crash();
    await test.untilIdle();
    expect([(await (await test.get(id)).status()).status, work.calls.length]).toEqual(["completed", 1]);
  });

  it("FAIL-9 takes nothing from the other steps: each runs once", async () => {
    const work = script([succeed("done")]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("gone", { agent: "nobody" }), step("here")]));
    await test.untilIdle();
    expect((await handle.status()).status).toBe("parked");
    test.engine.agent("nobody", async () => 1);
    await test.untilIdle();
    expect(work.calls.length).toBe(1);
    expect((await handle.status()).status).toBe("completed");
  });

  it("CANCEL-2 does not keep its execution from being cancelled", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(one({ agent: "nobody" }));
    await test.untilIdle();
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  });
});
