// Barriers on the engine: they use no slot and no commit, and `why` names them (BEYOND-1).

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/api/engine.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { hang, openTestEngine, script } from "../../src/testing/index.ts";
import { commits, contract } from "./questions.ts";

const TESTED = contract(`
name: tested
steps:
  - { id: unit, agent: work }
  - { id: lint, wait: { signal: go } }
  - { id: tested, barrier: true, dependsOn: [unit, lint] }
  - { id: ship, wait: { for: 1ms }, dependsOn: [tested] }
`);

const MEETING = contract(`
name: meeting
steps:
  - { id: go, wait: { signal: go } }
  - { id: met, barrier: true, dependsOn: [go] }
  - { id: last, wait: { for: 1ms }, dependsOn: [met] }
`);

const ALONE = contract("name: alone\nsteps: [{ id: met, barrier: true, priority: 5 }]\n");

const work = (): string => "done";

describe("a barrier", () => {
  it("BEYOND-1 is passed in the commit in which the last that it waits for ends", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const handle = await engine.start(MEETING);
    await handle.signal("go", null);
    await handle.result();
    const passing = (await commits(store, handle.id)).filter((kinds) => kinds.includes("signal.received"));
    expect(passing).toEqual([["signal.received", "step.completed", "step.completed", "step.suspended"]]);
  });

  it("BEYOND-1 takes no slot: it is passed while every slot is taken", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) }, limits: { slots: 1 } });
    await test.start(TESTED);
    await test.untilIdle();
    const alone = await test.start(ALONE);
    await test.untilIdle();
    expect(await alone.status()).toMatchObject({ status: "completed", steps: [{ status: "succeeded", attempts: 0 }] });
  });

  it("BEYOND-1 is not passed a second time after a crash", async () => {
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(TESTED);
    await (await test.get(id)).signal("go", null);
    await test.untilIdle();
    await test.crash();
    await test.advance("1s");
    const kinds: string[] = [];
    for await (const { kind, step } of (await test.get(id)).events()) if (step === "tested") kinds.push(kind);
    expect(kinds).toEqual(["step.completed"]);
    expect(await (await test.get(id)).status()).toMatchObject({ status: "completed" });
  });
});

describe("why", () => {
  it("SCHED-7 names a barrier like any other dependency, and says what that waits for itself", async () => {
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(TESTED);
    await test.untilIdle();
    expect((await test.engine.why(handle.id)).map(({ text }) => text)).toEqual([
      "`lint` waits for the signal `go`",
      "`tested` waits for `lint`",
      "`ship` waits for `tested`",
    ]);
  });

  it("CANCEL-7 says of a barrier that is held by a pause that the execution is paused", async () => {
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(TESTED);
    await test.untilIdle();
    await handle.pause();
    await handle.signal("go", null);
    await test.untilIdle();
    expect((await test.engine.why(handle.id)).map(({ step, reason }) => [step, reason.kind])).toEqual([
      [undefined, "paused"],
      ["tested", "held"],
      ["ship", "dependency"],
    ]);
  });
});
