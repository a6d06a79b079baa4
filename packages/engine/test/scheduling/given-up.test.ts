// Attempts that were given up and still run (CANCEL-2).

import { describe, expect, it } from "vitest";
import { Capacity } from "../../src/resources/resource.ts";
import { Stage, capacities, taking } from "./stage.ts";

describe("what an attempt holds that was given up", () => {
  it("CANCEL-2 is free when it really ends, and its slot at once", () => {
    const [stage, { db }] = [new Stage({ slots: 1 }), capacities()];
    const claim = taking(db.take(1, 1));
    const token = {};
    stage.request("a1", claim);
    stage.request("b1", claim);
    stage.request("c1");
    stage.release("a1", token);
    expect(stage.news()).toEqual(["a1", "c1"]);
    stage.release("c1");
    expect(stage.scheduler.used).toBe(0);
    expect(stage.why("b1")).toMatchObject([{ kind: "resource", holders: [{ owner: "a", step: 1, isGivenUp: true }] }]);
    stage.scheduler.forget(stage.account("a"));
    expect(stage.news()).toEqual([]);
    stage.scheduler.settled(token);
    stage.scheduler.settled(token);
    expect(stage.news()).toEqual(["b1"]);
  });

  it("CANCEL-2 is told as held for everything that somebody wants of it", () => {
    const [stage, { db, disk }] = [new Stage(), capacities()];
    const both = taking(db.take(1, 1), disk.take(1, 1));
    stage.request("a1", both);
    stage.request("b1", both);
    stage.release("a1", {});
    const holders = [{ owner: "a", step: 1, isGivenUp: true }];
    expect(stage.why("b1")).toMatchObject([
      { resource: "db", holders },
      { resource: "disk", holders },
    ]);
  });
});

describe("what is held by an attempt that was given up", () => {
  it("CANCEL-2 may be asked for again by the next attempt of the same step", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    const claim = taking(db.take(1, 2));
    const tokens = [{}, {}];
    for (const token of tokens) {
      stage.request("a1", claim);
      stage.release("a1", token);
    }
    stage.request("a1", claim);
    expect(stage.news()).toEqual(["a1", "a1"]);
    stage.scheduler.settled(tokens[0]!);
    expect(stage.news()).toEqual(["a1"]);
  });

  it("CANCEL-2 is its resources, not the limits of its agent and its step: those are free at once", () => {
    for (const role of ["agent", "step"] as const) {
      const stage = new Stage();
      const limited = taking(new Capacity("x", role).take(1, 1));
      const token = {};
      for (const name of ["a1", "b1", "c1"]) stage.request(name, limited);
      stage.release("a1", token);
      expect(stage.news()).toEqual(["a1", "b1"]);
      expect(stage.why("c1")).toMatchObject([{ used: 1, holders: [{ owner: "b", step: 1, isGivenUp: false }] }]);
      stage.scheduler.settled(token);
      expect(stage.news()).toEqual([]);
      stage.release("b1");
      expect(stage.news()).toEqual(["c1"]);
    }
  });

  it("SCHED-4 cannot be waited for by keeping the rest from others", () => {
    const [stage, { db }] = [new Stage(), capacities()];
    const [large, small] = [taking(db.take(4, 4)), taking(db.take(1, 4))];
    const token = {};
    stage.request("a1", small);
    stage.request("a2", small);
    stage.request("b1", large);
    stage.advance(10_000);
    stage.request("c1", small);
    expect(stage.news()).toEqual(["a1", "a2"]);
    stage.release("a1", token);
    expect(stage.news()).toEqual(["c1"]);
    stage.advance(60_000);
    stage.release("a2");
    stage.release("c1");
    stage.request("c2", small);
    expect(stage.news()).toEqual(["c2"]);
    stage.scheduler.settled(token);
    stage.advance(10_000);
    stage.request("c3", small);
    expect(stage.news()).toEqual([]);
    stage.release("c2");
    expect(stage.news()).toEqual(["b1"]);
  });
});
