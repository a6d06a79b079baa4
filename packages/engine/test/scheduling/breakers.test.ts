// Circuit breakers of agents (FAIL-6).

import { describe, expect, it } from "vitest";
import { Breaker } from "../../src/resources/breaker.ts";
import { Claim, Need } from "../../src/resources/claim.ts";
import { Capacity } from "../../src/resources/resource.ts";
import { Stage } from "./stage.ts";

const COOLDOWN_MS = 30_000;

function calling(agent: string = "x"): Claim {
  return new Claim(0, new Need([], new Breaker(agent, agent, 5, COOLDOWN_MS)));
}

/** An agent that has just failed so often in a row. */
function failed(times: number, claim: Claim): Stage {
  const stage = new Stage();
  for (let step = 1; step <= times; step++) {
    stage.request(`f${step}`, claim);
    stage.ended(`f${step}`, "failing");
  }
  stage.news();
  return stage;
}

describe("a breaker", () => {
  it("FAIL-6 opens after 5 failures in a row, and 30 seconds later one probe passes", () => {
    const claim = calling();
    const stage = failed(4, claim);
    stage.request("a1", claim);
    expect(stage.news()).toEqual(["a1"]);
    stage.ended("a1", "failing");
    for (const name of ["b1", "b2", "c1"]) stage.request(name, claim);
    stage.request("d1");
    expect(stage.news()).toEqual(["d1"]);
    stage.advance(COOLDOWN_MS - 1);
    expect(stage.news()).toEqual([]);
    stage.advance(1);
    expect(stage.news()).toEqual(["b1"]);
    stage.advance(600_000);
    expect(stage.news()).toEqual([]);
  });

  it("FAIL-6 closes when the probe succeeds, and begins to count anew", () => {
    const claim = calling();
    const stage = failed(5, claim);
    for (const name of ["b1", "b2", "c1"]) stage.request(name, claim);
    stage.advance(COOLDOWN_MS);
    stage.ended("b1", "succeeded");
    expect(stage.news()).toEqual(["b1", "c1", "b2"]);
    stage.ended("b2", "failing");
    stage.request("d1", claim);
    expect(stage.news()).toEqual(["d1"]);
  });

  it("FAIL-6 stays open for another 30 seconds when the probe fails", () => {
    const claim = calling();
    const stage = failed(5, claim);
    stage.request("b1", claim);
    stage.request("c1", claim);
    stage.advance(COOLDOWN_MS + 5000);
    stage.ended("b1", "failing");
    expect(stage.news()).toEqual(["b1"]);
    stage.advance(COOLDOWN_MS - 1);
    expect(stage.news()).toEqual([]);
    stage.advance(1);
    expect(stage.news()).toEqual(["c1"]);
  });

  it("FAIL-6 counts failures in a row: a success begins anew, and what is neither changes nothing", () => {
    const claim = calling();
    const stage = failed(4, claim);
    stage.request("a1", claim);
    stage.ended("a1", "succeeded");
    for (const result of ["failing", "failing", "other", "failing", "failing", "other"] as const) {
      stage.request("a1", claim);
      stage.ended("a1", result);
    }
    stage.request("b1", claim);
    expect(stage.news().at(-1)).toBe("b1");
    stage.ended("b1", "failing");
    stage.request("b2", claim);
    expect(stage.news()).toEqual([]);
  });

  it("FAIL-6 holds up one agent and no other", () => {
    const [x, y] = [calling("x"), calling("y")];
    const stage = failed(5, x);
    stage.request("a1", x);
    stage.request("a2", y);
    expect(stage.news()).toEqual(["a2"]);
    expect(stage.why("a1")).toEqual([{ kind: "breaker", agent: "x", untilMs: stage.nowMs + COOLDOWN_MS }]);
  });
});

describe("a probe", () => {
  it("FAIL-6 that ends in neither way leaves its place to another", () => {
    for (const leave of [
      (stage: Stage) => stage.ended("b1", "other"),
      (stage: Stage) => stage.release("b1"),
      (stage: Stage) => stage.release("b1", {}),
      (stage: Stage) => stage.scheduler.forget(stage.account("b")),
    ]) {
      const claim = calling();
      const stage = failed(5, claim);
      stage.request("b1", claim);
      stage.request("c1", claim);
      stage.advance(COOLDOWN_MS);
      expect(stage.news()).toEqual(["b1"]);
      leave(stage);
      expect(stage.news()).toEqual(["c1"]);
    }
  });

  it("FAIL-6 alone counts: what began before the breaker opened says nothing", () => {
    const claim = calling();
    const stage = new Stage();
    for (let step = 1; step <= 7; step++) stage.request(`a${step}`, claim);
    for (let step = 1; step <= 5; step++) stage.ended(`a${step}`, "failing");
    stage.request("b1", claim);
    stage.request("b2", claim);
    stage.news();
    stage.advance(COOLDOWN_MS - 1);
    stage.ended("a6", "failing");
    stage.advance(1);
    expect(stage.news()).toEqual(["b1"]);
    stage.ended("a7", "succeeded");
    expect(stage.news()).toEqual([]);
    stage.ended("b1", "succeeded");
    expect(stage.news()).toEqual(["b2"]);
  });
});

describe("the probe", () => {
  it("FAIL-6 is the oldest retry that is due, before new steps and higher priorities", () => {
    const claim = calling();
    const important = new Claim(9, claim.need);
    const stage = failed(5, claim);
    stage.account("d", 1);
    stage.request("d9");
    for (const name of ["a1", "a2"]) stage.request(name, claim);
    stage.request("d1", claim.again);
    stage.advance(1000);
    stage.request("b1", claim.again);
    stage.advance(1000);
    stage.request("c1", claim.again);
    stage.request("a3", important);
    stage.request("c2", important.again);
    stage.news();
    stage.advance(COOLDOWN_MS);
    expect(stage.news()).toEqual(["b1"]);
    for (const [name, next] of [
      ["b1", "c1"],
      ["c1", "c2"],
      ["c2", "a3"],
    ] as const) {
      stage.ended(name, "failing");
      stage.advance(COOLDOWN_MS);
      expect(stage.news()).toEqual([next]);
    }
    stage.release("d9");
    stage.ended("a3", "succeeded");
    expect(stage.news()).toEqual(["d1", "a1", "a2"]);
  });

  it("FAIL-6 is none of those that left", () => {
    const claim = calling();
    const stage = failed(5, claim);
    for (const name of ["a1", "b1", "c1"]) stage.request(name, claim.again);
    stage.request("d1", claim);
    stage.withdraw("a1");
    stage.scheduler.forget(stage.account("b"));
    stage.advance(COOLDOWN_MS);
    expect(stage.news()).toEqual(["c1"]);
    stage.ended("c1", "failing");
    stage.advance(COOLDOWN_MS);
    expect(stage.news()).toEqual(["d1"]);
  });
});

describe("an open breaker", () => {
  it("FAIL-6 SCHED-4 whoever waits for a breaker keeps no resource from others", () => {
    const breaker = new Breaker("x", "x", 1, 60_000);
    const db = new Capacity("db", "resource");
    const stage = new Stage();
    const [both, one] = [new Claim(0, new Need([db.take(2, 2)], breaker)), new Claim(0, new Need([db.take(1, 2)]))];
    stage.request("a1", one);
    stage.request("b1", both);
    stage.request("f1", new Claim(0, new Need([], breaker)));
    stage.advance(10_000);
    stage.ended("f1", "failing");
    stage.release("a1");
    stage.news();
    stage.advance(20_000);
    stage.request("c1", one);
    expect(stage.news()).toEqual(["c1"]);
    stage.release("c1");
    stage.advance(40_000);
    expect(stage.news()).toEqual(["b1"]);
  });
});
