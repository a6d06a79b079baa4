// Steps that become ready together are granted by rank, even if there is room for all (SCHED-2).

import { loadContract } from "@segno/contract";
import type { Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import type { AgentFunction } from "../../src/agents/agent.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { SchedulerFixture } from "./fixture.ts";

const [LOW, MIDDLE, HIGH] = [0, 2, 5].map((priority) => new Claim(priority, NO_REQUIREMENT)) as [Claim, Claim, Claim];

/** An engine whose agent records the order in which steps start. */
async function openEngine(slots: number = 10): Promise<{ readonly test: TestEngine; readonly begun: string[] }> {
  const started: string[] = [];
  const note: AgentFunction = (_, { step, execution }) => void started.push(`${execution.id} ${step.id}`);
  return { test: await openTestEngine({ limits: { slots, perAgent: 100 }, agents: { note } }), begun: started };
}

function steps(head: string, rows: readonly string[]): Definition {
  return loadContract(`name: f\n${head}\nsteps:\n${rows.map((row) => `  - { ${row}, agent: note }\n`).join("")}`);
}

async function order(definition: Definition, slots?: number): Promise<string> {
  const { test, begun: started } = await openEngine(slots);
  await using _ = test;
  await (await test.start(definition)).result();
  return started.map((each) => each.split(" ")[1]).join(" ");
}

const ROWS = ["id: a, priority: 1", "id: b, priority: 5", "id: c", "id: d, priority: 3"];

describe("steps that become ready together", () => {
  it.each([1, 2])(
    "SCHED-2 are granted by priority from the first free slot on, with a concurrency of %i",
    async (concurrency) => {
      expect(await order(steps(`concurrency: ${concurrency}`, ROWS))).toBe("b d a c");
    },
  );

  it.each([1, 2])("SCHED-2 are granted by priority from the first free slot on, with %i slots", async (slots) => {
    expect(await order(steps("", ROWS), slots)).toBe("b d a c");
  });

  it("SCHED-2 SCHED-4 are granted a resource by priority from its first free unit on", async () => {
    const rows = ROWS.map((row) => `${row}, resources: { device: 1 }`);
    expect(await order(steps("resources: { device: 1 }", rows))).toBe("b d a c");
  });

  it("SCHED-2 start by priority even if there is room for all", async () => {
    expect(await order(steps("", ROWS))).toBe("b d a c");
  });

  it("SCHED-2 compete with waiting steps for the resources that the end of a step frees", async () => {
    const rows = ["id: a, priority: 1", "id: b", "id: after, priority: 5, dependsOn: [a]"];
    expect(await order(steps("concurrency: 1", rows))).toBe("a after b");
  });

  it("SCHED-2 of several executions are granted by priority, then round-robin", async () => {
    const { test, begun } = await openEngine(1);
    await using _ = test;
    const two = steps("", ["id: a", "id: b"]);
    const started = [{ id: "low" }, { id: "also" }, { id: "high", priority: 3 }].map((options) =>
      test.start(two, null, options),
    );
    for (const handle of await Promise.all(started)) await handle.result();
    expect(begun).toEqual(["high a", "high b", "low a", "also a", "low b", "also b"]);
  });
});

describe("a corked scheduler", () => {
  it("SCHED-2 grants nothing before the end, and then by priority", () => {
    const fixture = new SchedulerFixture({ slots: 2 });
    fixture.scheduler.cork(() => {
      fixture.request("a1", LOW);
      fixture.request("a2", HIGH);
      fixture.request("b1", MIDDLE);
      expect(fixture.takeGrants()).toEqual([]);
    });
    expect(fixture.takeGrants()).toEqual(["a2", "b1"]);
  });

  it("SCHED-2 SCHED-5 grants free slots by the strategy too", () => {
    const hybrid = new SchedulerFixture({ slots: 1, strategy: "hybrid", weight: (_, step) => step });
    const own = new SchedulerFixture({ slots: 1, strategy: { select: (ready) => ready.at(-1)! } });
    for (const fixture of [hybrid, own]) {
      fixture.scheduler.cork(() => ["a1", "a3", "a2"].forEach((name) => fixture.request(name)));
      expect(fixture.takeGrants()).toEqual([fixture === own ? "a2" : "a3"]);
    }
  });

  it("SCHED-2 gives freed resources to the first in rank at the end", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    fixture.request("a1");
    fixture.request("b1");
    fixture.takeGrants();
    fixture.scheduler.cork(() => {
      fixture.release("a1");
      fixture.request("a2", HIGH);
    });
    expect(fixture.takeGrants()).toEqual(["a2"]);
  });

  it("SCHED-3 SCHED-4 grants a request that fits although a higher priority in the same turn does not fit", () => {
    const fixture = new SchedulerFixture();
    const lock = new Capacity("lock", "declared");
    fixture.request("z0", new Claim(0, new Requirement([lock.toDemand(1, 1)])));
    fixture.scheduler.cork(() => {
      fixture.request("a1", LOW);
      fixture.request("a2", new Claim(5, new Requirement([lock.toDemand(1, 1)])));
    });
    expect(fixture.takeGrants()).toEqual(["z0", "a1"]);
  });

  it("SCHED-2 grants no withdrawn request, and none twice", () => {
    const fixture = new SchedulerFixture({ slots: 5 });
    fixture.scheduler.cork(() => {
      for (const name of ["a1", "a2", "a1", "b1", "c1"]) fixture.request(name);
      fixture.withdraw("a2");
      fixture.scheduler.withdrawAll(fixture.record("b"));
      fixture.request("c1");
    });
    expect(fixture.takeGrants()).toEqual(["a1", "c1"]);
    fixture.scheduler.cork(() => {
      fixture.withdraw("a1");
      fixture.request("a1");
    });
    expect(fixture.takeGrants()).toEqual([]);
    expect([fixture.scheduler.usedSlots, fixture.scheduler.waitingCount]).toEqual([2, 0]);
  });
});
