// Circuit breakers of agents (FAIL-6).

import { describe, expect, it } from "vitest";
import { Breaker } from "../../src/scheduler/resources/breaker.ts";
import { Claim, Requirement } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture } from "./fixture.ts";

const COOLDOWN_MS = 30_000;

function breakerClaim(agent: string = "x"): Claim {
  return new Claim(0, new Requirement([], new Breaker(agent, agent, 5, COOLDOWN_MS)));
}

/** A fixture whose agent has just failed this many times in a row. */
function afterFailures(times: number, claim: Claim): SchedulerFixture {
  const fixture = new SchedulerFixture();
  for (let step = 1; step <= times; step++) {
    fixture.request(`f${step}`, claim);
    fixture.end(`f${step}`, "failing");
  }
  fixture.takeGrants();
  return fixture;
}

describe("a breaker", () => {
  it("FAIL-6 opens after 5 failures in a row, and 30 seconds later one probe passes", () => {
    const claim = breakerClaim();
    const fixture = afterFailures(4, claim);
    fixture.request("a1", claim);
    expect(fixture.takeGrants()).toEqual(["a1"]);
    fixture.end("a1", "failing");
    for (const name of ["b1", "b2", "c1"]) fixture.request(name, claim);
    fixture.request("d1");
    expect(fixture.takeGrants()).toEqual(["d1"]);
    fixture.advance(COOLDOWN_MS - 1);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b1"]);
    fixture.advance(600_000);
    expect(fixture.takeGrants()).toEqual([]);
  });

  it("FAIL-6 closes when the probe succeeds, and counts failures from zero again", () => {
    const claim = breakerClaim();
    const fixture = afterFailures(5, claim);
    for (const name of ["b1", "b2", "c1"]) fixture.request(name, claim);
    fixture.advance(COOLDOWN_MS);
    fixture.end("b1", "succeeded");
    expect(fixture.takeGrants()).toEqual(["b1", "c1", "b2"]);
    fixture.end("b2", "failing");
    fixture.request("d1", claim);
    expect(fixture.takeGrants()).toEqual(["d1"]);
  });

  it("FAIL-6 stays open for another 30 seconds when the probe fails", () => {
    const claim = breakerClaim();
    const fixture = afterFailures(5, claim);
    fixture.request("b1", claim);
    fixture.request("c1", claim);
    fixture.advance(COOLDOWN_MS + 5000);
    fixture.end("b1", "failing");
    expect(fixture.takeGrants()).toEqual(["b1"]);
    fixture.advance(COOLDOWN_MS - 1);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["c1"]);
  });

  it("FAIL-6 counts failures in a row: a success resets the count, and any other result changes nothing", () => {
    const claim = breakerClaim();
    const fixture = afterFailures(4, claim);
    fixture.request("a1", claim);
    fixture.end("a1", "succeeded");
    for (const result of ["failing", "failing", "other", "failing", "failing", "other"] as const) {
      fixture.request("a1", claim);
      fixture.end("a1", result);
    }
    fixture.request("b1", claim);
    expect(fixture.takeGrants().at(-1)).toBe("b1");
    fixture.end("b1", "failing");
    fixture.request("b2", claim);
    expect(fixture.takeGrants()).toEqual([]);
  });

  it("FAIL-6 blocks one agent and no other", () => {
    const [x, y] = [breakerClaim("x"), breakerClaim("y")];
    const fixture = afterFailures(5, x);
    fixture.request("a1", x);
    fixture.request("a2", y);
    expect(fixture.takeGrants()).toEqual(["a2"]);
    expect(fixture.why("a1")).toEqual([{ kind: "breaker", agent: "x", untilMs: fixture.nowMs + COOLDOWN_MS }]);
  });
});

describe("a probe", () => {
  it("FAIL-6 that neither succeeds nor fails lets another attempt become the probe", () => {
    for (const leave of [
      (fixture: SchedulerFixture) => fixture.end("b1", "other"),
      (fixture: SchedulerFixture) => fixture.release("b1"),
      (fixture: SchedulerFixture) => fixture.release("b1", {}),
      (fixture: SchedulerFixture) => fixture.scheduler.forget(fixture.record("b")),
    ]) {
      const claim = breakerClaim();
      const fixture = afterFailures(5, claim);
      fixture.request("b1", claim);
      fixture.request("c1", claim);
      fixture.advance(COOLDOWN_MS);
      expect(fixture.takeGrants()).toEqual(["b1"]);
      leave(fixture);
      expect(fixture.takeGrants()).toEqual(["c1"]);
    }
  });

  it("FAIL-6 alone counts: attempts that started before the breaker opened do not", () => {
    const claim = breakerClaim();
    const fixture = new SchedulerFixture();
    for (let step = 1; step <= 7; step++) fixture.request(`a${step}`, claim);
    for (let step = 1; step <= 5; step++) fixture.end(`a${step}`, "failing");
    fixture.request("b1", claim);
    fixture.request("b2", claim);
    fixture.takeGrants();
    fixture.advance(COOLDOWN_MS - 1);
    fixture.end("a6", "failing");
    fixture.advance(1);
    expect(fixture.takeGrants()).toEqual(["b1"]);
    fixture.end("a7", "succeeded");
    expect(fixture.takeGrants()).toEqual([]);
    fixture.end("b1", "succeeded");
    expect(fixture.takeGrants()).toEqual(["b2"]);
  });
});

describe("the probe", () => {
  it("FAIL-6 is the oldest retry that is due, before new steps and higher priorities", () => {
    const claim = breakerClaim();
    const important = new Claim(9, claim.requirement);
    const fixture = afterFailures(5, claim);
    fixture.record("d", 1);
    fixture.request("d9");
    for (const name of ["a1", "a2"]) fixture.request(name, claim);
    fixture.request("d1", claim.retryClaim);
    fixture.advance(1000);
    fixture.request("b1", claim.retryClaim);
    fixture.advance(1000);
    fixture.request("c1", claim.retryClaim);
    fixture.request("a3", important);
    fixture.request("c2", important.retryClaim);
    fixture.takeGrants();
    fixture.advance(COOLDOWN_MS);
    expect(fixture.takeGrants()).toEqual(["b1"]);
    for (const [name, next] of [
      ["b1", "c1"],
      ["c1", "c2"],
      ["c2", "a3"],
    ] as const) {
      fixture.end(name, "failing");
      fixture.advance(COOLDOWN_MS);
      expect(fixture.takeGrants()).toEqual([next]);
    }
    fixture.release("d9");
    fixture.end("a3", "succeeded");
    expect(fixture.takeGrants()).toEqual(["d1", "a1", "a2"]);
  });

  it("FAIL-6 is not a step that was withdrawn", () => {
    const claim = breakerClaim();
    const fixture = afterFailures(5, claim);
    for (const name of ["a1", "b1", "c1"]) fixture.request(name, claim.retryClaim);
    fixture.request("d1", claim);
    fixture.withdraw("a1");
    fixture.scheduler.forget(fixture.record("b"));
    fixture.advance(COOLDOWN_MS);
    expect(fixture.takeGrants()).toEqual(["c1"]);
    fixture.end("c1", "failing");
    fixture.advance(COOLDOWN_MS);
    expect(fixture.takeGrants()).toEqual(["d1"]);
  });
});

describe("an open breaker", () => {
  it("FAIL-6 SCHED-4 a step that waits for a breaker keeps no resource from others", () => {
    const breaker = new Breaker("x", "x", 1, 60_000);
    const db = new Capacity("db", "declared");
    const fixture = new SchedulerFixture();
    const [both, one] = [
      new Claim(0, new Requirement([db.toDemand(2, 2)], breaker)),
      new Claim(0, new Requirement([db.toDemand(1, 2)])),
    ];
    fixture.request("a1", one);
    fixture.request("b1", both);
    fixture.request("f1", new Claim(0, new Requirement([], breaker)));
    fixture.advance(10_000);
    fixture.end("f1", "failing");
    fixture.release("a1");
    fixture.takeGrants();
    fixture.advance(20_000);
    fixture.request("c1", one);
    expect(fixture.takeGrants()).toEqual(["c1"]);
    fixture.release("c1");
    fixture.advance(40_000);
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });
});
