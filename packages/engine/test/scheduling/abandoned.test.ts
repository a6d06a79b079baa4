// Abandoned attempts that still run (CANCEL-2).

import { describe, expect, it } from "vitest";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture, capacities, claimDemands } from "./fixture.ts";

describe("the resources of an abandoned attempt", () => {
  it("CANCEL-2 are free when it exits, and its slot at once", () => {
    const [fixture, { db }] = [new SchedulerFixture({ slots: 1 }), capacities()];
    const claim = claimDemands(db.toDemand(1, 1));
    const token = {};
    fixture.request("a1", claim);
    fixture.request("b1", claim);
    fixture.request("c1");
    fixture.release("a1", token);
    expect(fixture.takeGrants()).toEqual(["a1", "c1"]);
    fixture.release("c1");
    expect(fixture.scheduler.usedSlots).toBe(0);
    expect(fixture.why("b1")).toMatchObject([
      { kind: "resource", holders: [{ execution: "a", step: 1, isLingering: true }] },
    ]);
    fixture.scheduler.forget(fixture.record("a"));
    expect(fixture.takeGrants()).toEqual([]);
    fixture.scheduler.onExited(token);
    fixture.scheduler.onExited(token);
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });

  it("CANCEL-2 are reported as held to every step that requires them", () => {
    const [fixture, { db, disk }] = [new SchedulerFixture(), capacities()];
    const both = claimDemands(db.toDemand(1, 1), disk.toDemand(1, 1));
    fixture.request("a1", both);
    fixture.request("b1", both);
    fixture.release("a1", {});
    const holders = [{ execution: "a", step: 1, isLingering: true }];
    expect(fixture.why("b1")).toMatchObject([
      { resource: "db", holders },
      { resource: "disk", holders },
    ]);
  });
});

describe("a resource that an abandoned attempt holds", () => {
  it("CANCEL-2 may be requested by the next attempt of the same step", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    const claim = claimDemands(db.toDemand(1, 2));
    const tokens = [{}, {}];
    for (const token of tokens) {
      fixture.request("a1", claim);
      fixture.release("a1", token);
    }
    fixture.request("a1", claim);
    expect(fixture.takeGrants()).toEqual(["a1", "a1"]);
    fixture.scheduler.onExited(tokens[0]!);
    expect(fixture.takeGrants()).toEqual(["a1"]);
  });

  it("CANCEL-2 is not a limit of its agent or its step: those are free at once", () => {
    for (const role of ["agent", "step"] as const) {
      const fixture = new SchedulerFixture();
      const limited = claimDemands(new Capacity("x", role).toDemand(1, 1));
      const token = {};
      for (const name of ["a1", "b1", "c1"]) fixture.request(name, limited);
      fixture.release("a1", token);
      expect(fixture.takeGrants()).toEqual(["a1", "b1"]);
      expect(fixture.why("c1")).toMatchObject([
        { used: 1, holders: [{ execution: "b", step: 1, isLingering: false }] },
      ]);
      fixture.scheduler.onExited(token);
      expect(fixture.takeGrants()).toEqual([]);
      fixture.release("b1");
      expect(fixture.takeGrants()).toEqual(["c1"]);
    }
  });

  it("SCHED-4 cannot be waited for by reserving the rest", () => {
    const [fixture, { db }] = [new SchedulerFixture(), capacities()];
    const [large, small] = [claimDemands(db.toDemand(4, 4)), claimDemands(db.toDemand(1, 4))];
    const token = {};
    fixture.request("a1", small);
    fixture.request("a2", small);
    fixture.request("b1", large);
    fixture.advance(10_000);
    fixture.request("c1", small);
    expect(fixture.takeGrants()).toEqual(["a1", "a2"]);
    fixture.release("a1", token);
    expect(fixture.takeGrants()).toEqual(["c1"]);
    fixture.advance(60_000);
    fixture.release("a2");
    fixture.release("c1");
    fixture.request("c2", small);
    expect(fixture.takeGrants()).toEqual(["c2"]);
    fixture.scheduler.onExited(token);
    fixture.advance(10_000);
    fixture.request("c3", small);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.release("c2");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});
