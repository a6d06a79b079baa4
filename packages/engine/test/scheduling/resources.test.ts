// Capacities and reservations (SCHED-4).

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, Requirement } from "../../src/scheduler/resources/claim.ts";
import type { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture, capacities, claimDemands } from "./fixture.ts";

describe("capacities", () => {
  it("SCHED-4 are acquired all or none: a step that waits for one holds nothing of the other", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    fixture.request("a1", claimDemands(db.toDemand(1, 1)));
    fixture.request("b1", claimDemands(db.toDemand(1, 1), disk.toDemand(2, 2)));
    fixture.request("c1", claimDemands(disk.toDemand(2, 2)));
    expect(fixture.takeGrants()).toEqual(["a1", "c1"]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual([]);
    fixture.request("d1", claimDemands(db.toDemand(1, 1)));
    expect(fixture.takeGrants()).toEqual(["d1"]);
    fixture.release("c1");
    fixture.release("d1");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });

  it("SCHED-4 keep the bound of each workflow when two declare the same name differently", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    const [roomy, strict] = [claimDemands(db.toDemand(1, 3)), claimDemands(db.toDemand(1, 1))];
    fixture.request("a1", roomy);
    fixture.request("a2", roomy);
    fixture.request("b1", strict);
    fixture.request("a3", roomy);
    expect(fixture.takeGrants()).toEqual(["a1", "a2", "a3"]);
    fixture.release("a1");
    fixture.release("a2");
    expect(fixture.takeGrants()).toEqual([]);
    fixture.release("a3");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });

  it("SCHED-4 do not leak through rounding of fractions", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    for (let step = 1; step <= 3; step++) fixture.request(`a${step}`, claimDemands(db.toDemand(0.1, 1)));
    fixture.request("b1", claimDemands(db.toDemand(1, 1)));
    for (let step = 1; step <= 3; step++) fixture.release(`a${step}`);
    expect(fixture.takeGrants()).toContain("b1");
  });

  it("SCHED-4 count attempts that already run, even beyond the bound", () => {
    const [fixture, { db }] = [new SchedulerFixture({ slots: 1 }), capacities()];
    const claim = claimDemands(db.toDemand(1, 1));
    fixture.scheduler.occupy(fixture.record("a"), 1, claim);
    fixture.scheduler.occupy(fixture.record("a"), 2, claim);
    fixture.scheduler.occupy(fixture.record("a"), 2, claim);
    fixture.request("b1", claim);
    expect([fixture.scheduler.usedSlots, fixture.takeGrants()]).toEqual([2, []]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual([]);
    fixture.release("a2");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});

const FLOOD_STEP_MS = 500;

/** Small requests arrive whenever there is room; returns how long it takes until all large ones are granted. */
function waitUnderFlood(largeClaims: readonly Claim[], small: Claim, max: number): number {
  const fixture = new SchedulerFixture();
  const running: string[] = [];
  const [missing, flood] = [new Set<string>(), { step: 0, waitedMs: 0 }];
  const requestSmall = (): void => {
    for (let asked = 0; asked < max; asked++) fixture.request(`s${++flood.step}`, small);
    running.push(...fixture.takeGrants());
    for (const name of running) missing.delete(name);
  };
  requestSmall();
  largeClaims.forEach((claim, nth) => {
    missing.add(`large${nth}`);
    fixture.request(`large${nth}`, claim);
  });
  for (; missing.size > 0 && flood.waitedMs < 100_000; flood.waitedMs += FLOOD_STEP_MS) {
    fixture.advance(FLOOD_STEP_MS);
    fixture.release(running.shift()!);
    requestSmall();
  }
  return flood.waitedMs;
}

describe("a large request", () => {
  it("SCHED-4 is granted in bounded time although small ones keep arriving, whatever their sizes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), fc.nat(), (capacity, largeness, smallness) => {
        const { db, disk } = capacities();
        const large = 2 + (largeness % (capacity - 1));
        const small = 1 + (smallness % Math.min(3, large - 1));
        const claim = claimDemands(db.toDemand(large, capacity), disk.toDemand(1, 1));
        const waitedMs = waitUnderFlood([claim], claimDemands(db.toDemand(small, capacity)), capacity);
        expect(waitedMs).toBeLessThanOrEqual(10_000 + capacity * FLOOD_STEP_MS);
      }),
      { numRuns: 100 },
    );
  });

  it("SCHED-4 reserves after 10 seconds, not before, and only what it requires", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    const [one, any] = [claimDemands(db.toDemand(1, 4)), claimDemands(disk.toDemand(1, 1))];
    fixture.request("a1", one);
    fixture.request("b1", claimDemands(db.toDemand(4, 4)));
    fixture.advance(9_999);
    fixture.request("a2", one);
    expect(fixture.takeGrants()).toEqual(["a1", "a2"]);
    fixture.advance(1);
    fixture.request("a3", one);
    fixture.request("c1", any);
    expect(fixture.takeGrants()).toEqual(["c1"]);
    expect(fixture.why("a3")).toMatchObject([{ kind: "resource", free: 2, reservedFor: { execution: "b", step: 1 } }]);
    fixture.release("a1");
    fixture.release("a2");
    expect(fixture.takeGrants()).toEqual(["b1"]);
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["a3"]);
  });

  it("SCHED-4 leaves to others what it can spare while it waits for something else", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    fixture.request("a1", claimDemands(disk.toDemand(1, 1)));
    fixture.request("b1", claimDemands(db.toDemand(4, 6), disk.toDemand(1, 1)));
    fixture.advance(10_000);
    for (const name of ["c1", "c2", "c3"]) fixture.request(name, claimDemands(db.toDemand(1, 6)));
    expect(fixture.takeGrants()).toEqual(["a1", "c1", "c2"]);
    expect(fixture.why("c3")).toMatchObject([{ free: 4, reservedFor: { execution: "b", step: 1 } }]);
    fixture.release("c1");
    expect(fixture.takeGrants()).toEqual(["c3"]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});

describe("reservations", () => {
  it("SCHED-4 follow each other: several large requests are granted one after the other", () => {
    const { db, disk } = capacities();
    const largeClaims = [
      claimDemands(db.toDemand(4, 4)),
      claimDemands(db.toDemand(3, 4)),
      claimDemands(db.toDemand(4, 4), disk.toDemand(1, 1)),
    ];
    const waitedMs = waitUnderFlood(largeClaims, claimDemands(db.toDemand(1, 4)), 4);
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(waitedMs).toBeLessThanOrEqual(10_000 + largeClaims.length * 5 * FLOOD_STEP_MS);
  });

  it("SCHED-4 have one order: a queue that is not first at all its resources reserves nothing", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    fixture.request("h1", claimDemands(db.toDemand(1, 2)));
    fixture.request("h2", claimDemands(disk.toDemand(1, 2)));
    fixture.request("a1", claimDemands(db.toDemand(2, 2)));
    fixture.advance(10_000);
    fixture.request("b1", new Claim(1, new Requirement([db.toDemand(2, 2), disk.toDemand(2, 2)])));
    fixture.advance(1);
    fixture.request("c1", claimDemands(disk.toDemand(2, 2)));
    fixture.advance(10_000);
    const reservedFor = (resource: Capacity): unknown =>
      fixture.scheduler.reservations.current(resource)?.queue.first?.schedulerRecord.execution;
    expect(reservedFor(db)).toBe("a");
    expect(reservedFor(disk)).toBeUndefined();
    fixture.release("h1");
    expect([db, disk].map(reservedFor)).toEqual(["b", "b"]);
    fixture.release("a1");
    fixture.release("h2");
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["h1", "h2", "a1", "b1", "c1"]);
  });

  it("SCHED-4 do not block the queue they are for, when another of the same size is blocked by them", () => {
    const [fixture, { db }] = [new SchedulerFixture({ slots: 2, strategy: "fifo" }), capacities()];
    const [one, three, same] = [
      claimDemands(db.toDemand(1, 4)),
      claimDemands(db.toDemand(3, 3)),
      claimDemands(db.toDemand(1, 4)),
    ];
    for (const name of ["a2", "a3", "a1"]) fixture.request(name, one);
    fixture.request("a0", three);
    fixture.release("a2");
    fixture.request("a4", same);
    fixture.advance(10_001);
    fixture.request("b0", one);
    fixture.release("a3");
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["a2", "a3", "a1", "a0", "a4"]);
  });
});

describe("a reservation", () => {
  it("SCHED-4 is not made for a step that is blocked by the limit of its execution", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    fixture.record("a", 1);
    fixture.request("h1", claimDemands(db.toDemand(1, 4)));
    fixture.request("a1");
    fixture.request("a2", claimDemands(db.toDemand(4, 4)));
    fixture.advance(20_000);
    fixture.request("c1", claimDemands(db.toDemand(1, 4)));
    expect(fixture.takeGrants()).toEqual(["h1", "a1", "c1"]);
  });

  it("SCHED-4 ends when its step is withdrawn, and others get what was reserved", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    fixture.request("a1", claimDemands(db.toDemand(1, 4)));
    fixture.request("b1", claimDemands(db.toDemand(4, 4)));
    fixture.advance(10_000);
    fixture.request("c1", claimDemands(db.toDemand(1, 4)));
    expect(fixture.takeGrants()).toEqual(["a1"]);
    fixture.withdraw("b1");
    expect(fixture.takeGrants()).toEqual(["c1"]);
    expect(fixture.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 is not made for more than the bound: such a step waits for ever and keeps nothing from others", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    fixture.request("a1", claimDemands(db.toDemand(5, 4)));
    fixture.advance(60_000);
    fixture.request("b1", claimDemands(db.toDemand(4, 4)));
    expect(fixture.takeGrants()).toEqual(["b1"]);
    expect(fixture.why("a1")).toMatchObject([{ kind: "resource", wanted: 5, max: 4 }]);
    expect(fixture.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 and another one of the same resources in another order never wait for each other", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    fixture.request("h1", claimDemands(db.toDemand(1, 2)));
    fixture.request("h2", claimDemands(disk.toDemand(1, 2)));
    fixture.request("a1", claimDemands(db.toDemand(2, 2), disk.toDemand(2, 2)));
    fixture.request("b1", claimDemands(disk.toDemand(2, 2), db.toDemand(2, 2)));
    fixture.advance(20_000);
    expect(fixture.takeGrants()).toEqual(["h1", "h2"]);
    fixture.release("h1");
    fixture.release("h2");
    expect(fixture.takeGrants()).toEqual(["a1"]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});
