// Capacities, and what large requests reserve of them (SCHED-4).

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, Need } from "../../src/resources/claim.ts";
import { Stage, capacities, taking } from "./stage.ts";

describe("capacities", () => {
  it("SCHED-4 are taken all or none: who waits for one thing holds nothing of the other", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    stage.request("a1", taking(db.take(1, 1)));
    stage.request("b1", taking(db.take(1, 1), disk.take(2, 2)));
    stage.request("c1", taking(disk.take(2, 2)));
    expect(stage.news()).toEqual(["a1", "c1"]);
    stage.release("a1");
    expect(stage.news()).toEqual([]);
    stage.request("d1", taking(db.take(1, 1)));
    expect(stage.news()).toEqual(["d1"]);
    stage.release("c1");
    stage.release("d1");
    expect(stage.news()).toEqual(["b1"]);
  });

  it("SCHED-4 keep the promise of each workflow when two declare the same name differently", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    const [roomy, strict] = [taking(db.take(1, 3)), taking(db.take(1, 1))];
    stage.request("a1", roomy);
    stage.request("a2", roomy);
    stage.request("b1", strict);
    stage.request("a3", roomy);
    expect(stage.news()).toEqual(["a1", "a2", "a3"]);
    stage.release("a1");
    stage.release("a2");
    expect(stage.news()).toEqual([]);
    stage.release("a3");
    expect(stage.news()).toEqual(["b1"]);
  });

  it("SCHED-4 are not lost to fractions", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    for (let step = 1; step <= 3; step++) stage.request(`a${step}`, taking(db.take(0.1, 1)));
    stage.request("b1", taking(db.take(1, 1)));
    for (let step = 1; step <= 3; step++) stage.release(`a${step}`);
    expect(stage.news()).toContain("b1");
  });

  it("SCHED-4 count what runs already when it is heard of, even beyond the bound", () => {
    const [stage, { db }] = [new Stage({ slots: 1 }), capacities()];
    const claim = taking(db.take(1, 1));
    stage.scheduler.occupy(stage.account("a"), 1, claim);
    stage.scheduler.occupy(stage.account("a"), 2, claim);
    stage.scheduler.occupy(stage.account("a"), 2, claim);
    stage.request("b1", claim);
    expect([stage.scheduler.used, stage.news()]).toEqual([2, []]);
    stage.release("a1");
    expect(stage.news()).toEqual([]);
    stage.release("a2");
    expect(stage.news()).toEqual(["b1"]);
  });
});

const FLOOD_STEP_MS = 500;

/** Small ones come whenever there is room; gives back how long it took until all large ones were granted. */
function waitUnderFlood(larges: readonly Claim[], small: Claim, most: number): number {
  const stage = new Stage();
  const running: string[] = [];
  const [missing, flood] = [new Set<string>(), { step: 0, waitedMs: 0 }];
  const comeIn = (): void => {
    for (let asked = 0; asked < most; asked++) stage.request(`s${++flood.step}`, small);
    running.push(...stage.news());
    for (const name of running) missing.delete(name);
  };
  comeIn();
  larges.forEach((claim, nth) => {
    missing.add(`large${nth}`);
    stage.request(`large${nth}`, claim);
  });
  for (; missing.size > 0 && flood.waitedMs < 100_000; flood.waitedMs += FLOOD_STEP_MS) {
    stage.advance(FLOOD_STEP_MS);
    stage.release(running.shift()!);
    comeIn();
  }
  return flood.waitedMs;
}

describe("a large request", () => {
  it("SCHED-4 is granted in bounded time although small ones come without end, whatever their sizes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), fc.nat(), (capacity, largeness, smallness) => {
        const { db, disk } = capacities();
        const large = 2 + (largeness % (capacity - 1));
        const small = 1 + (smallness % Math.min(3, large - 1));
        const claim = taking(db.take(large, capacity), disk.take(1, 1));
        const waitedMs = waitUnderFlood([claim], taking(db.take(small, capacity)), capacity);
        expect(waitedMs).toBeLessThanOrEqual(10_000 + capacity * FLOOD_STEP_MS);
      }),
      { numRuns: 100 },
    );
  });

  it("SCHED-4 reserves after 10 seconds, not before, and only what it needs", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    const [one, any] = [taking(db.take(1, 4)), taking(disk.take(1, 1))];
    stage.request("a1", one);
    stage.request("b1", taking(db.take(4, 4)));
    stage.advance(9_999);
    stage.request("a2", one);
    expect(stage.news()).toEqual(["a1", "a2"]);
    stage.advance(1);
    stage.request("a3", one);
    stage.request("c1", any);
    expect(stage.news()).toEqual(["c1"]);
    expect(stage.why("a3")).toMatchObject([{ kind: "resource", free: 2, reservedFor: { owner: "b", step: 1 } }]);
    stage.release("a1");
    stage.release("a2");
    expect(stage.news()).toEqual(["b1"]);
    stage.release("b1");
    expect(stage.news()).toEqual(["a3"]);
  });

  it("SCHED-4 lets others have what it can spare while it waits for something else", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    stage.request("a1", taking(disk.take(1, 1)));
    stage.request("b1", taking(db.take(4, 6), disk.take(1, 1)));
    stage.advance(10_000);
    for (const name of ["c1", "c2", "c3"]) stage.request(name, taking(db.take(1, 6)));
    expect(stage.news()).toEqual(["a1", "c1", "c2"]);
    expect(stage.why("c3")).toMatchObject([{ free: 4, reservedFor: { owner: "b", step: 1 } }]);
    stage.release("c1");
    expect(stage.news()).toEqual(["c3"]);
    stage.release("a1");
    expect(stage.news()).toEqual(["b1"]);
  });
});

describe("reservations", () => {
  it("SCHED-4 follow each other: several large requests are granted one after the other", () => {
    const { db, disk } = capacities();
    const larges = [taking(db.take(4, 4)), taking(db.take(3, 4)), taking(db.take(4, 4), disk.take(1, 1))];
    const waitedMs = waitUnderFlood(larges, taking(db.take(1, 4)), 4);
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(waitedMs).toBeLessThanOrEqual(10_000 + larges.length * 5 * FLOOD_STEP_MS);
  });

  it("SCHED-4 have one order: who is not first in all its lines reserves nothing", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    stage.request("h1", taking(db.take(1, 2)));
    stage.request("h2", taking(disk.take(1, 2)));
    stage.request("a1", taking(db.take(2, 2)));
    stage.advance(10_000);
    stage.request("b1", new Claim(1, new Need([db.take(2, 2), disk.take(2, 2)])));
    stage.advance(1);
    stage.request("c1", taking(disk.take(2, 2)));
    stage.advance(10_000);
    expect(db.reservation?.queue.first?.account.owner).toBe("a");
    expect(disk.reservation).toBeUndefined();
    stage.release("h1");
    expect([db, disk].map(({ reservation }) => reservation?.queue.first?.account.owner)).toEqual(["b", "b"]);
    stage.release("a1");
    stage.release("h2");
    stage.release("b1");
    expect(stage.news()).toEqual(["h1", "h2", "a1", "b1", "c1"]);
  });

  it("SCHED-4 do not hold up the one they are for, when another of the same size is held up by them", () => {
    const [stage, { db }] = [new Stage({ slots: 2, strategy: "fifo" }), capacities()];
    const [one, three, same] = [taking(db.take(1, 4)), taking(db.take(3, 3)), taking(db.take(1, 4))];
    for (const name of ["a2", "a3", "a1"]) stage.request(name, one);
    stage.request("a0", three);
    stage.release("a2");
    stage.request("a4", same);
    stage.advance(10_001);
    stage.request("b0", one);
    stage.release("a3");
    stage.release("a1");
    expect(stage.news()).toEqual(["a2", "a3", "a1", "a0", "a4"]);
  });
});

describe("a reservation", () => {
  it("SCHED-4 is not made for a step that the limit of its execution holds up", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    stage.account("a", 1);
    stage.request("h1", taking(db.take(1, 4)));
    stage.request("a1");
    stage.request("a2", taking(db.take(4, 4)));
    stage.advance(20_000);
    stage.request("c1", taking(db.take(1, 4)));
    expect(stage.news()).toEqual(["h1", "a1", "c1"]);
  });

  it("SCHED-4 ends when it is withdrawn, and others have what was kept", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    stage.request("a1", taking(db.take(1, 4)));
    stage.request("b1", taking(db.take(4, 4)));
    stage.advance(10_000);
    stage.request("c1", taking(db.take(1, 4)));
    expect(stage.news()).toEqual(["a1"]);
    stage.withdraw("b1");
    expect(stage.news()).toEqual(["c1"]);
    expect(stage.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 is not made for more than there is: that waits for ever and keeps nothing from others", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    stage.request("a1", taking(db.take(5, 4)));
    stage.advance(60_000);
    stage.request("b1", taking(db.take(4, 4)));
    expect(stage.news()).toEqual(["b1"]);
    expect(stage.why("a1")).toMatchObject([{ kind: "resource", wanted: 5, max: 4 }]);
    expect(stage.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 and another of the same things in another order never wait for each other", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    stage.request("h1", taking(db.take(1, 2)));
    stage.request("h2", taking(disk.take(1, 2)));
    stage.request("a1", taking(db.take(2, 2), disk.take(2, 2)));
    stage.request("b1", taking(disk.take(2, 2), db.take(2, 2)));
    stage.advance(20_000);
    expect(stage.news()).toEqual(["h1", "h2"]);
    stage.release("h1");
    stage.release("h2");
    expect(stage.news()).toEqual(["a1"]);
    stage.release("a1");
    expect(stage.news()).toEqual(["b1"]);
  });
});
