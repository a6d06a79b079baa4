// Quotas: so many in such a time (SCHED-4).

import { describe, expect, it } from "vitest";
import { Quota } from "../../src/resources/resource.ts";
import { Stage, taking } from "./stage.ts";

describe("quotas", () => {
  it("SCHED-4 are a sliding window and are not given back", () => {
    const stage = new Stage();
    const claim = taking(new Quota("github", "resource").take(1, 3, 60_000));
    stage.request("a1", claim);
    stage.advance(20_000);
    stage.request("a2", claim);
    stage.request("a3", claim);
    for (const name of ["a1", "a2", "a3"]) stage.release(name);
    for (const name of ["b1", "b2", "b3"]) stage.request(name, claim);
    expect(stage.news()).toEqual(["a1", "a2", "a3"]);
    stage.advance(39_999);
    expect(stage.news()).toEqual([]);
    stage.advance(1);
    expect(stage.news()).toEqual(["b1"]);
    stage.advance(20_000);
    expect(stage.news()).toEqual(["b2", "b3"]);
    expect(stage.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 serve who waited for the time before who comes at that time, also when the call is late", () => {
    const stage = new Stage();
    const claim = taking(new Quota("github", "resource").take(1, 1, 1000));
    stage.request("a1", claim);
    stage.request("b1", claim);
    stage.nowMs += 1500;
    stage.request("c1", claim);
    expect(stage.news()).toEqual(["a1", "b1"]);
    stage.advance(1000);
    expect(stage.news()).toEqual(["c1"]);
  });

  it("SCHED-4 keep the promise of each workflow over its own time", () => {
    const stage = new Stage();
    const quota = new Quota("github", "resource");
    const [second, minute] = [taking(quota.take(1, 2, 1000)), taking(quota.take(1, 3, 60_000))];
    for (const name of ["a1", "a2", "a3"]) stage.request(name, second);
    stage.request("b1", minute);
    stage.request("b2", minute);
    expect(stage.news()).toEqual(["a1", "a2", "b1"]);
    stage.advance(1000);
    expect(stage.news()).toEqual(["a3"]);
    stage.advance(58_999);
    expect(stage.news()).toEqual([]);
    stage.advance(1);
    expect(stage.news()).toEqual(["b2"]);
  });
});

describe("quotas, when time is not what it was,", () => {
  it("SCHED-4 count attempts that a crash left, from when they began", () => {
    const stage = new Stage();
    const claim = taking(new Quota("github", "resource").take(1, 1, 60_000));
    stage.scheduler.occupy(stage.account("a"), 1, claim, stage.nowMs - 50_000);
    stage.request("b1", claim);
    stage.advance(9_999);
    expect(stage.news()).toEqual([]);
    stage.advance(1);
    expect(stage.news()).toEqual(["b1"]);
  });

  it.each([-3_600_000, 3_600_000])("SCHED-4 fill again in their time when the clock is set by %d ms", (shiftMs) => {
    const stage = new Stage();
    const claim = taking(new Quota("github", "resource").take(1, 1, 60_000));
    stage.request("a1", claim);
    stage.advance(30_000);
    stage.request("b1", claim);
    stage.clockOffsetMs += shiftMs;
    stage.request("c1", claim);
    stage.advance(29_999);
    expect(stage.news()).toEqual(["a1"]);
    stage.advance(1);
    expect(stage.news()).toEqual(["b1"]);
  });
});
