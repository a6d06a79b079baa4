// Quotas (SCHED-4).

import { describe, expect, it } from "vitest";
import { Quota } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture, claimDemands } from "./fixture.ts";

describe("quotas", () => {
  it("SCHED-4 are a sliding window and are not returned by a release", () => {
    const fixture = new SchedulerFixture();
    const claim = claimDemands(new Quota("github", "declared").toDemand(1, 3, 60_000));
    fixture.request("a1", claim);
    fixture.advance(20_000);
    fixture.request("a2", claim);
    fixture.request("a3", claim);
    for (const name of ["a1", "a2", "a3"]) fixture.release(name);
    for (const name of ["b1", "b2", "b3"]) fixture.request(name, claim);
    expect(fixture.takeGrants()).toEqual(["a1", "a2", "a3"]);
    fixture.advance(39_999);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b1"]);
    fixture.advance(20_000);
    expect(fixture.takeGrants()).toEqual(["b2", "b3"]);
    expect(fixture.wakeAtMs).toBeUndefined();
  });

  it("SCHED-4 serve steps that waited for the time before steps that arrive at that time, even if the wake-up is late", () => {
    const fixture = new SchedulerFixture();
    const claim = claimDemands(new Quota("github", "declared").toDemand(1, 1, 1000));
    fixture.request("a1", claim);
    fixture.request("b1", claim);
    fixture.nowMs += 1500;
    fixture.request("c1", claim);
    expect(fixture.takeGrants()).toEqual(["a1", "b1"]);
    fixture.advance(1000);
    expect(fixture.takeGrants()).toEqual(["c1"]);
  });

  it("SCHED-4 keep the bound of each workflow over its own window", () => {
    const fixture = new SchedulerFixture();
    const quota = new Quota("github", "declared");
    const [second, minute] = [claimDemands(quota.toDemand(1, 2, 1000)), claimDemands(quota.toDemand(1, 3, 60_000))];
    for (const name of ["a1", "a2", "a3"]) fixture.request(name, second);
    fixture.request("b1", minute);
    fixture.request("b2", minute);
    expect(fixture.takeGrants()).toEqual(["a1", "a2", "b1"]);
    fixture.advance(1000);
    expect(fixture.takeGrants()).toEqual(["a3"]);
    fixture.advance(58_999);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b2"]);
  });
});

describe("quotas, when clocks or processes change,", () => {
  it("SCHED-4 count attempts left over from a crash, from when they started", () => {
    const fixture = new SchedulerFixture();
    const claim = claimDemands(new Quota("github", "declared").toDemand(1, 1, 60_000));
    fixture.scheduler.occupy(fixture.record("a"), 1, claim, fixture.nowMs - 50_000);
    fixture.request("b1", claim);
    fixture.advance(9_999);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });

  it.each([-3_600_000, 3_600_000])("SCHED-4 fill again in their time when the clock is set by %d ms", (shiftMs) => {
    const fixture = new SchedulerFixture();
    const claim = claimDemands(new Quota("github", "declared").toDemand(1, 1, 60_000));
    fixture.request("a1", claim);
    fixture.advance(30_000);
    fixture.request("b1", claim);
    fixture.clockOffsetMs += shiftMs;
    fixture.request("c1", claim);
    fixture.advance(29_999);
    expect(fixture.takeGrants()).toEqual(["a1"]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});
