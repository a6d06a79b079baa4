import { durationMs, stepId, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { fail, hang, openTestEngine, pass, script, succeed } from "../src/testing/index.ts";

function flow(
  ...steps: readonly (Partial<Omit<StepDefinition, "id">> & { readonly id: string; readonly agent: string })[]
): Definition {
  return {
    name: "flow",
    steps: steps.map(({ id, agent, ...rest }) => ({ ...rest, id: stepId(id), action: { kind: "agent", agent } })),
  };
}

describe("a test engine", () => {
  it("FAIL-3 plays a script, and retries when its time has come and not before", async () => {
    const charge = script([fail("busy"), succeed(42)]);
    await using test = await openTestEngine({ agents: { charge } });
    const handle = await test.start(flow({ id: "pay", agent: "charge" }), { amount: 1 });
    await test.advance("999ms");
    expect(charge.calls.length).toBe(1);
    await test.advance("20ms");
    expect(charge.calls.map(({ attempt, input }) => [attempt, input])).toEqual([
      [1, { amount: 1 }],
      [2, { amount: 1 }],
    ]);
    expect((await handle.status()).status).toBe("completed");
  });

  it("JOURNAL-3 goes on after a crash where it was", async () => {
    const first = script([succeed("done")]);
    const second = script([hang(), succeed("done")]);
    await using test = await openTestEngine({ agents: { first, second } });
    const { id } = await test.start(
      flow(
        { id: "a", agent: "first" },
        { id: "b", agent: "second", dependsOn: [{ step: stepId("a"), on: "succeeded" }] },
      ),
    );
    await test.untilIdle();
    await test.crash();
    await test.untilIdle();
    expect((await (await test.get(id)).status()).status).toBe("completed");
    expect([first.calls.length, second.calls.length]).toEqual([1, 2]);
  });

  it("waits for days in no time, over a crash too", async () => {
    const work = script([succeed(1, { after: "1h" })]);
    await using test = await openTestEngine({ agents: { work } });
    const waiting: Definition = {
      name: "waiting",
      steps: [
        { id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(3 * 86_400_000) } },
        {
          id: stepId("work"),
          action: { kind: "agent", agent: "work" },
          dependsOn: [{ step: stepId("wait"), on: "succeeded" }],
        },
      ],
    };
    const { id } = await test.start(waiting);
    await test.advance("2d");
    await test.crash();
    await test.advance("23h");
    expect(work.calls.length).toBe(0);
    await test.advance("1h");
    expect(work.calls.length).toBe(1);
    await test.advance("1h");
    const handle = await test.get(id);
    await expect(handle.result()).resolves.toBeNull();
  });
});

describe("a test engine", () => {
  it("FAIL-4 gives up what hangs when the grace after its deadline is over, and says why", async () => {
    await using test = await openTestEngine({
      agents: { hangs: script([hang()]), passes: script([pass("nothing to do")]) },
    });
    const handle = await test.start(
      flow({ id: "a", agent: "hangs", timeout: durationMs(500), retry: { attempts: 1 } }, { id: "b", agent: "passes" }),
    );
    await test.advance("6s");
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "ATTEMPT_TIMEOUT" } });
    expect((await handle.status()).steps[1]?.detail).toMatchObject({ reason: { message: "nothing to do" } });
  });

  it("stays dead until it is opened again", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed(1, { after: 50 })]) } });
    const { id } = await test.start(flow({ id: "a", agent: "work" }));
    await test.crash({ stayDead: true });
    expect(() => test.engine).toThrow("reopen");
    await test.advance("1h");
    await test.reopen();
    await test.advance("1s");
    expect((await (await test.get(id)).status()).status).toBe("completed");
  });

  it("refuses a duration that is none, and a script without acts", async () => {
    await using test = await openTestEngine();
    await expect(test.advance("soon")).rejects.toThrow("a duration is");
    expect(() => script([])).toThrow("at least one response");
  });
});
