// Steps that become ready together are granted by their order, also where something is free (SCHED-2).

import { loadContract } from "@segno/contract";
import type { Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Claim, Need, NO_NEED } from "../../src/resources/claim.ts";
import { Capacity } from "../../src/resources/resource.ts";
import type { AgentFunction } from "../../src/runners/agent.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { Stage } from "./stage.ts";

const [LOW, MIDDLE, HIGH] = [0, 2, 5].map((priority) => new Claim(priority, NO_NEED)) as [Claim, Claim, Claim];

/** An engine whose agent notes the order in which steps begin. */
async function opened(slots: number = 10): Promise<{ readonly test: TestEngine; readonly begun: string[] }> {
  const begun: string[] = [];
  const note: AgentFunction = (_, { stepId, executionId }) => void begun.push(`${executionId} ${stepId}`);
  return { test: await openTestEngine({ limits: { slots, perAgent: 100 }, agents: { note } }), begun };
}

function steps(head: string, rows: readonly string[]): Definition {
  return loadContract(`name: f\n${head}\nsteps:\n${rows.map((row) => `  - { ${row}, agent: note }\n`).join("")}`);
}

async function order(definition: Definition, slots?: number): Promise<string> {
  const { test, begun } = await opened(slots);
  await using _ = test;
  await (await test.start(definition)).result();
  return begun.map((each) => each.split(" ")[1]).join(" ");
}

const ROWS = ["id: a, priority: 1", "id: b, priority: 5", "id: c", "id: d, priority: 3"];

describe("steps that become ready together", () => {
  it.each([1, 2])(
    "SCHED-2 are granted by priority from the first free slot on, with a concurrency of %i",
    async (atOnce) => {
      expect(await order(steps(`concurrency: ${atOnce}`, ROWS))).toBe("b d a c");
    },
  );

  it.each([1, 2])("SCHED-2 are granted by priority from the first free slot on, with %i slots", async (slots) => {
    expect(await order(steps("", ROWS), slots)).toBe("b d a c");
  });

  it("SCHED-2 SCHED-4 are granted a resource by priority from its first free unit on", async () => {
    const rows = ROWS.map((row) => `${row}, resources: { device: 1 }`);
    expect(await order(steps("resources: { device: 1 }", rows))).toBe("b d a c");
  });

  it("SCHED-2 begin by priority also where there is room for all", async () => {
    expect(await order(steps("", ROWS))).toBe("b d a c");
  });

  it("SCHED-2 compete with those who wait already for what the end of a step gives back", async () => {
    const rows = ["id: a, priority: 1", "id: b", "id: after, priority: 5, dependsOn: [a]"];
    expect(await order(steps("concurrency: 1", rows))).toBe("a after b");
  });

  it("SCHED-2 of several executions are granted by priority, then in turn", async () => {
    const { test, begun } = await opened(1);
    await using _ = test;
    const two = steps("", ["id: a", "id: b"]);
    const started = [{ id: "low" }, { id: "also" }, { id: "high", priority: 3 }].map((options) =>
      test.start(two, null, options),
    );
    for (const handle of await Promise.all(started)) await handle.result();
    expect(begun).toEqual(["high a", "high b", "low a", "also a", "low b", "also b"]);
  });
});

describe("a turn", () => {
  it("SCHED-2 grants nothing before it is over, and then by priority", () => {
    const stage = new Stage({ slots: 2 });
    stage.scheduler.gather(() => {
      stage.request("a1", LOW);
      stage.request("a2", HIGH);
      stage.request("b1", MIDDLE);
      expect(stage.news()).toEqual([]);
    });
    expect(stage.news()).toEqual(["a2", "b1"]);
  });

  it("SCHED-2 SCHED-5 grants by the strategy also what is free", () => {
    const hybrid = new Stage({ slots: 1, strategy: "hybrid", weight: (_, step) => step });
    const own = new Stage({ slots: 1, strategy: { select: (ready) => ready.at(-1)! } });
    for (const stage of [hybrid, own]) {
      stage.scheduler.gather(() => ["a1", "a3", "a2"].forEach((name) => stage.request(name)));
      expect(stage.news()).toEqual([stage === own ? "a2" : "a3"]);
    }
  });

  it("SCHED-2 gives what it gives back to whoever comes first when it is over", () => {
    const stage = new Stage({ slots: 1 });
    stage.request("a1");
    stage.request("b1");
    stage.news();
    stage.scheduler.gather(() => {
      stage.release("a1");
      stage.request("a2", HIGH);
    });
    expect(stage.news()).toEqual(["a2"]);
  });

  it("SCHED-3 SCHED-4 grants what fits although a higher priority of the same turn does not", () => {
    const stage = new Stage();
    const lock = new Capacity("lock", "resource");
    stage.request("z0", new Claim(0, new Need([lock.take(1, 1)])));
    stage.scheduler.gather(() => {
      stage.request("a1", LOW);
      stage.request("a2", new Claim(5, new Need([lock.take(1, 1)])));
    });
    expect(stage.news()).toEqual(["z0", "a1"]);
  });

  it("SCHED-2 grants nothing that it took back, and nothing twice", () => {
    const stage = new Stage({ slots: 5 });
    stage.scheduler.gather(() => {
      for (const name of ["a1", "a2", "a1", "b1", "c1"]) stage.request(name);
      stage.withdraw("a2");
      stage.scheduler.withdrawAll(stage.account("b"));
      stage.request("c1");
    });
    expect(stage.news()).toEqual(["a1", "c1"]);
    stage.scheduler.gather(() => {
      stage.withdraw("a1");
      stage.request("a1");
    });
    expect(stage.news()).toEqual([]);
    expect([stage.scheduler.used, stage.scheduler.waiting]).toEqual([2, 0]);
  });
});
