// The order of grants (SCHED-2).

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture } from "./fixture.ts";

function priority(value: number): Claim {
  return new Claim(value, NO_REQUIREMENT);
}

/** A fixture whose only slot is taken. */
function withBusySlot(): SchedulerFixture {
  const fixture = new SchedulerFixture({ slots: 1 });
  fixture.request("z0");
  fixture.takeGrants();
  return fixture;
}

/** Releases the running step again and again; returns the order of the other grants. */
function drain(fixture: SchedulerFixture, first: string = "z0", tookMs: number = 0): string[] {
  const order: string[] = [];
  for (let running: string | undefined = first; running !== undefined; running = fixture.takeGrants()[0]) {
    if (running !== first) order.push(running);
    fixture.advance(tookMs);
    fixture.release(running);
  }
  return order;
}

describe("the order of grants", () => {
  it("SCHED-2 is by priority, then round-robin between executions, then first in, first out", () => {
    const fixture = withBusySlot();
    const [low, high] = [priority(0), priority(1)];
    for (const name of ["a1", "a2", "a3"]) fixture.request(name, low);
    for (const name of ["b1", "b2"]) fixture.request(name, low);
    fixture.request("b3", high);
    fixture.request("c1", low);
    expect(drain(fixture)).toEqual(["b3", "a1", "c1", "b1", "a2", "b2", "a3"]);
  });

  it("SCHED-2 an execution with many steps does not keep another waiting", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    for (let step = 1; step <= 200; step++) fixture.request(`a${step}`);
    fixture.request("b1");
    fixture.release("a1");
    fixture.release("a2");
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("SCHED-2 adds the priority that an execution was started with", () => {
    const fixture = withBusySlot();
    fixture.record("b", undefined, 5);
    fixture.request("a1", priority(4));
    fixture.request("b1", priority(0));
    fixture.request("b2", priority(-2));
    expect(drain(fixture)).toEqual(["b1", "a1", "b2"]);
  });

  it("SCHED-2 one level of priority is worth ten seconds since the execution was last served", () => {
    for (const [waitedMs, order] of [
      [9_999, ["b1", "a1"]],
      [10_001, ["a1", "b1"]],
    ] as const) {
      const fixture = withBusySlot();
      fixture.request("a1", priority(0));
      fixture.advance(waitedMs);
      fixture.request("b1", priority(1));
      expect(drain(fixture)).toEqual(order);
    }
  });

  it("SCHED-2 a low priority is served in bounded time although higher ones keep arriving", () => {
    const fixture = withBusySlot();
    fixture.request("a1", priority(0));
    let running = "z0";
    let rounds = 0;
    for (; running !== "a1"; rounds++) {
      fixture.request(`b${rounds}`, priority(3));
      fixture.advance(1000);
      fixture.release(running);
      running = fixture.takeGrants()[0]!;
    }
    expect(rounds).toBeGreaterThan(29);
    expect(rounds).toBeLessThan(33);
  });
});

describe("the time since an execution was last served", () => {
  it("SCHED-2 restarts with every grant that the execution waited for", () => {
    const fixture = withBusySlot();
    for (const name of ["a1", "a2", "a3"]) fixture.request(name);
    fixture.advance(5000);
    fixture.request("b1");
    fixture.advance(1000);
    expect(drain(fixture, "z0", 1000)).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("SCHED-2 restarts with a grant without waiting while other steps of the execution wait", () => {
    const fixture = new SchedulerFixture();
    const lock = new Claim(0, new Requirement([new Capacity("lock", "declared").toDemand(1, 1)]));
    fixture.request("z0", lock);
    fixture.request("a1", lock);
    fixture.advance(1000);
    fixture.request("b1", lock);
    fixture.advance(1000);
    fixture.request("a2");
    fixture.release("z0");
    expect(fixture.takeGrants()).toEqual(["z0", "a2", "b1"]);
  });
});

describe("between different requirements", () => {
  it("SCHED-2 the order is the same as between equal ones, even if a higher priority arrives later", () => {
    const fixture = withBusySlot();
    const need = new Requirement([new Capacity("pool", "declared").toDemand(1, 9)]);
    fixture.request("a1", new Claim(0, need));
    fixture.request("c1", new Claim(0, need));
    fixture.request("b1", priority(1));
    fixture.request("c2", new Claim(5, need));
    expect(drain(fixture)).toEqual(["c2", "b1", "a1", "c1"]);
  });
});

describe("fairness", () => {
  it("SCHED-2 executions of the same priority differ by at most one grant, however much each requests", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 6 }), (counts) => {
        const fixture = withBusySlot();
        counts.forEach((count, owner) => {
          for (let step = 1; step <= count; step++) fixture.request(`${"abcdef"[owner]!}${step}`);
        });
        const served = counts.map(() => 0);
        for (const name of drain(fixture, "z0", 1)) {
          const owner = "abcdef".indexOf(name[0]!);
          served[owner]!++;
          expect(name, "its steps come in their order").toBe(`${name[0]!}${served[owner]!}`);
          const unfinished = served.filter((count, each) => count < counts[each]!);
          if (unfinished.length > 0) expect(Math.max(...served) - Math.min(...unfinished)).toBeLessThanOrEqual(12);
          if (unfinished.length > 1) expect(Math.max(...unfinished) - Math.min(...unfinished)).toBeLessThanOrEqual(1);
        }
        expect(served).toEqual(counts);
      }),
      { numRuns: 100 },
    );
  });

  it("SCHED-2 holds when the system clock is set back", () => {
    const fixture = withBusySlot();
    fixture.request("a1");
    fixture.request("a2");
    fixture.clockOffsetMs -= 3_600_000;
    fixture.request("b1");
    expect(drain(fixture)).toEqual(["a1", "b1", "a2"]);
  });
});
