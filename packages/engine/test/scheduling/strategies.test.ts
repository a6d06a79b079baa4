// The order of steps within an execution (SCHED-5).

import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import type { ReadyStep, CustomStrategy, Strategy, StrategyContext } from "../../src/scheduler/strategy.ts";
import { SchedulerFixture } from "./fixture.ts";

const [LOW, HIGH] = [new Claim(0, NO_REQUIREMENT), new Claim(2, NO_REQUIREMENT)];

/**
 * Steps 5, 3, 4, 1, 2 of one execution arrive in this order; 4 and 2 have a high priority, and 1 has the most
 * dependants.
 */
function order(strategy: Strategy): string {
  const fixture = new SchedulerFixture({ slots: 1, strategy, weight: (_, step) => (step === 1 ? 9 : step % 3) });
  fixture.request("z0");
  for (const step of [5, 3, 4, 1, 2]) fixture.request(`a${step}`, step % 2 === 0 ? HIGH : LOW);
  const granted = ["z0"];
  for (let running: string | undefined = "z0"; running !== undefined; running = fixture.takeGrants()[0]) {
    granted.push(running);
    fixture.takeGrants();
    fixture.release(running);
  }
  return granted
    .slice(2)
    .map((name) => name.slice(1))
    .join("");
}

describe("a strategy", () => {
  it("SCHED-5 orders steps: first in, first out, by priority, by declaration, by dependants", () => {
    expect(order("fifo")).toBe("53412");
    expect(order("parallel")).toBe("53412");
    expect(order("priority")).toBe("42531");
    expect(order("sequential")).toBe("12345");
    expect(order("hybrid")).toBe("24153");
  });

  it("SCHED-5 is `priority` by default", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    fixture.request("z0");
    fixture.request("a1", LOW);
    fixture.request("a2", HIGH);
    fixture.release("z0");
    expect(fixture.takeGrants()).toEqual(["z0", "a2"]);
  });

  it("SCHED-5 `sequential` is one at a time in each execution, `parallel` as many as the limits allow", () => {
    const [one, many] = [
      new SchedulerFixture({ strategy: "sequential" }),
      new SchedulerFixture({ strategy: "parallel" }),
    ];
    for (const fixture of [one, many]) for (const name of ["a3", "a2", "a1", "b1"]) fixture.request(name);
    expect(one.takeGrants()).toEqual(["a3", "b1"]);
    expect(many.takeGrants()).toEqual(["a3", "a2", "a1", "b1"]);
    one.release("a3");
    expect(one.takeGrants()).toEqual(["a1"]);
    expect(one.why("a2")).toEqual([{ kind: "execution-limit", used: 1, max: 1 }]);
  });

  it("SCHED-5 never orders executions: that stays fair", () => {
    for (const strategy of ["fifo", "sequential", "hybrid", last] as const) {
      const fixture = new SchedulerFixture({ slots: 1, strategy });
      fixture.request("z0");
      for (const name of ["a1", "a2", "a3", "b1", "b2"]) fixture.request(name);
      for (let running = fixture.takeGrants()[0]; running !== undefined; running = fixture.granted.at(-1)) {
        fixture.release(running);
        if (fixture.scheduler.usedSlots === 0) break;
      }
      expect(fixture.takeGrants().map((name) => name[0])).toEqual(["a", "b", "a", "b", "a"]);
    }
  });
});

const last: CustomStrategy = { select: (ready) => ready.at(-1)! };

describe("a user-supplied strategy", () => {
  it("SCHED-5 chooses among the steps that can run, with everything it needs to know", () => {
    const seen: [readonly ReadyStep[], StrategyContext][] = [];
    const strategy: CustomStrategy = {
      select: (ready, context) => {
        seen.push([ready, context]);
        return ready.find(({ step }) => step === "a3")!;
      },
    };
    const fixture = new SchedulerFixture({ slots: 2, strategy, weight: (_, step) => step * 10 });
    const lock = new Claim(0, new Requirement([new Capacity("lock", "declared").toDemand(1, 1)]));
    fixture.request("a0", lock);
    fixture.request("z0");
    fixture.request("a1", lock);
    fixture.request("a2", HIGH);
    fixture.advance(5);
    fixture.request("a3", LOW);
    fixture.release("z0");
    expect(fixture.takeGrants()).toEqual(["a0", "z0", "a3"]);
    expect(seen).toEqual([
      [
        [
          { step: "a2", priority: 2, dependants: 20, waitedMs: 5 },
          { step: "a3", priority: 0, dependants: 30, waitedMs: 0 },
        ],
        { execution: "a", workflow: "sample", running: 1 },
      ],
    ]);
    expect(Object.isFrozen(seen[0]![0])).toBe(true);
  });

  it("SCHED-5 may choose from the middle, repeatedly, and no step is lost", () => {
    const strategy: CustomStrategy = { select: (ready) => ready[Math.floor(ready.length / 2)]! };
    const fixture = new SchedulerFixture({ slots: 1, strategy });
    for (let step = 0; step < 500; step++) fixture.request(`a${step}`);
    for (let running = "a0"; fixture.scheduler.usedSlots > 0; running = fixture.granted.at(-1)!)
      fixture.release(running);
    expect(fixture.takeGrants().toSorted()).toEqual(Array.from({ length: 500 }, (_, step) => `a${step}`).toSorted());
    expect([fixture.scheduler.waitingCount, fixture.reports]).toEqual([0, []]);
  });
});

describe("a broken strategy", () => {
  it("SCHED-5 that throws or chooses a step that does not wait is reported once and replaced by first in, first out", async () => {
    const broken: readonly CustomStrategy["select"][] = [
      () => {
        throw new Error("no idea");
      },
      () => ({ step: "a99", priority: 0, dependants: 0, waitedMs: 0 }),
      () => undefined as unknown as ReadyStep,
      () => Promise.reject(new Error("later")) as unknown as ReadyStep,
    ];
    for (const select of broken) {
      const fixture = new SchedulerFixture({ slots: 1, strategy: { select } });
      fixture.request("z0");
      for (const step of [3, 2, 1]) fixture.request(`a${step}`, step === 1 ? HIGH : LOW);
      for (const running of ["z0", "a3", "a2", "a1"]) fixture.release(running);
      expect(fixture.takeGrants()).toEqual(["z0", "a3", "a2", "a1"]);
      expect(fixture.reports).toMatchObject([{ code: "STRATEGY_BROKEN" }]);
      expect(fixture.reports[0]).toBeInstanceOf(SegnoError);
    }
  });

  it("SCHED-5 that is broken for one execution still orders the others", () => {
    const strategy: CustomStrategy = {
      select: (ready, { execution }) => {
        if (execution === "a") throw new Error("not for this one");
        return ready.at(-1)!;
      },
    };
    const fixture = new SchedulerFixture({ slots: 1, strategy });
    fixture.request("z0");
    for (const name of ["a1", "a2", "b1", "b2"]) fixture.request(name);
    for (const running of ["z0", "a1", "b2", "a2", "b1"]) fixture.release(running);
    expect(fixture.takeGrants()).toEqual(["z0", "a1", "b2", "a2", "b1"]);
    fixture.scheduler.forget(fixture.record("a"));
    fixture.request("y0");
    fixture.request("a5");
    fixture.request("a6");
    fixture.release("y0");
    expect(fixture.takeGrants()).toEqual(["y0", "a5"]);
    expect(fixture.reports).toHaveLength(1);
  });
});

describe("a strategy for some executions", () => {
  it("SCHED-5 orders the steps of those that it covers, and the others are ordered by priority", () => {
    const asked: string[] = [];
    const strategy: CustomStrategy = {
      covers: (execution) => execution === "b",
      select: (ready, { execution }) => {
        asked.push(execution);
        return ready.at(-1)!;
      },
    };
    const fixture = new SchedulerFixture({ slots: 1, strategy });
    fixture.request("z0");
    for (const name of ["a1", "b1", "a2", "b2"]) fixture.request(name, name === "a2" ? HIGH : LOW);
    for (const running of ["z0", "a2", "b2", "a1", "b1"]) fixture.release(running);
    expect(fixture.takeGrants()).toEqual(["z0", "a2", "b2", "a1", "b1"]);
    expect(new Set(asked)).toEqual(new Set(["b"]));
  });

  it.each([
    ["a promise that is rejected", () => Promise.reject(new Error("no idea"))],
    ["a text", () => "yes"],
    ["nothing", () => undefined],
  ])("SCHED-5 whose `covers` returns %s is reported once", async (_, covers) => {
    const fixture = new SchedulerFixture({ slots: 1, strategy: { ...last, covers: covers as never } });
    fixture.request("z0");
    for (const name of ["a1", "a2"]) fixture.request(name);
    for (const running of ["z0", "a1", "a2"]) fixture.release(running);
    await new Promise(setImmediate);
    expect(fixture.takeGrants()).toEqual(["z0", "a1", "a2"]);
    expect(fixture.reports).toContainEqual(expect.objectContaining({ code: "STRATEGY_BROKEN" }));
  });

  it("SCHED-5 that cannot say which it covers is reported, and the execution continues first in, first out", () => {
    const strategy: CustomStrategy = {
      ...last,
      covers: () => {
        throw new Error("no idea");
      },
    };
    const fixture = new SchedulerFixture({ slots: 1, strategy });
    fixture.request("z0");
    for (const name of ["a1", "a2"]) fixture.request(name);
    for (const running of ["z0", "a1", "a2"]) fixture.release(running);
    expect(fixture.takeGrants()).toEqual(["z0", "a1", "a2"]);
    expect(fixture.reports).toMatchObject([{ code: "STRATEGY_BROKEN" }]);
  });
});
