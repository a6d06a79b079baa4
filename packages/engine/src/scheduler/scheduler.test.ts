import { describe, expect, it } from "vitest";
import { Claim, Requirement } from "./resources/claim.ts";
import { Capacity } from "./resources/resource.ts";
import { LinkedList, ListNode } from "../collections/linked-list.ts";
import { SchedulerFixture } from "../../test/scheduling/fixture.ts";

class Named extends ListNode {
  readonly name: number;

  constructor(name: number) {
    super();
    this.name = name;
  }
}

it("SCHED-2 a line gives the first, whoever has stepped out", () => {
  const line = new LinkedList<Named>();
  const items = Array.from({ length: 5000 }, (_, name) => new Named(name));
  for (const item of items) line.add(item);
  for (const item of items) if (item.name % 3 !== 0) line.delete(item);
  const seen: number[] = [];
  for (let { first } = line; first !== undefined; first = line.first) {
    seen.push(first.name);
    line.delete(first);
  }
  expect(seen).toEqual(items.map(({ name }) => name).filter((name) => name % 3 === 0));
  expect(line.size).toBe(0);
});

/** One of an agent that may run so many at once. */
function oneOf(agent: string, most: number): Claim {
  return new Claim(0, new Requirement([new Capacity(agent, "agent").toAmount(1, most)]));
}

describe("limits", () => {
  it("SCHED-1 so many attempts run at once in a process, and the next when one of them ends", () => {
    const stage = new SchedulerFixture({ slots: 2 });
    for (const name of ["a1", "a2", "a3", "a4"]) stage.request(name);
    expect(stage.news()).toEqual(["a1", "a2"]);
    expect([stage.scheduler.used, stage.scheduler.waiting]).toEqual([2, 2]);
    stage.release("a1");
    expect(stage.news()).toEqual(["a3"]);
  });

  it("SCHED-4 G6 what runs of an execution that is folded again keeps what it has, whoever waits for it", () => {
    const stage = new SchedulerFixture({ slots: 10 });
    const claim = oneOf("x", 1);
    stage.request("a1", claim);
    stage.request("b1", claim);
    expect(stage.news()).toEqual(["a1"]);
    stage.scheduler.renew(stage.account("a"), [{ step: 1, claim, startedAtMs: undefined }]);
    expect(stage.news()).toEqual([]);
    stage.release("a1");
    expect(stage.news()).toEqual(["b1"]);
  });

  it("SCHED-1 an execution runs no more than its own limit, and others have what it may not use", () => {
    const stage = new SchedulerFixture({ slots: 3 });
    stage.account("a", 1);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "b3"]) stage.request(name);
    expect(stage.news()).toEqual(["a1", "b1", "b2"]);
    stage.release("b1");
    expect(stage.news()).toEqual(["b3"]);
    stage.release("b2");
    expect(stage.news()).toEqual([]);
    stage.release("a1");
    expect(stage.news()).toEqual(["a2"]);
  });

  it("SCHED-1 an execution whose last waiting step was withdrawn at its limit waits like any other afterwards", () => {
    const [stage, x] = [new SchedulerFixture(), oneOf("x", 1)];
    stage.account("a", 1);
    stage.request("a1");
    stage.request("a2", x);
    stage.withdraw("a2");
    stage.release("a1");
    stage.request("b1", x);
    stage.request("a2", x);
    stage.news();
    stage.release("b1");
    expect(stage.news()).toEqual(["a2"]);
  });
});

describe("requests", () => {
  it("SCHED-3 that a limit holds back do not hold back those behind them", () => {
    const [stage, x] = [new SchedulerFixture({ slots: 2 }), oneOf("x", 1)];
    stage.request("a1", x);
    stage.request("a2", x);
    stage.request("b1");
    stage.request("b2");
    expect(stage.news()).toEqual(["a1", "b1"]);
    stage.release("b1");
    expect(stage.news()).toEqual(["b2"]);
    stage.release("a1");
    expect(stage.news()).toEqual(["a2"]);
    stage.scheduler.forget(stage.account("a"));
    stage.scheduler.forget(stage.account("b"));
    expect([stage.scheduler.used, stage.scheduler.waiting]).toEqual([0, 0]);
  });

  it("SCHED-3 that were withdrawn are passed over, also when they come again, and nothing is counted twice", () => {
    const stage = new SchedulerFixture({ slots: 1 });
    for (let step = 1; step <= 5; step++) stage.request(`a${step}`);
    stage.withdraw("a2");
    stage.withdraw("a4");
    stage.request("a2");
    expect(stage.scheduler.waiting).toBe(3);
    stage.withdraw("a2");
    stage.withdraw("a2");
    stage.request("a2");
    stage.request("a2");
    expect(stage.scheduler.waiting).toBe(3);
    for (const step of [1, 3, 5, 2]) stage.release(`a${step}`);
    expect(stage.news()).toEqual(["a1", "a3", "a5", "a2"]);
    expect([stage.scheduler.used, stage.scheduler.waiting]).toEqual([0, 0]);
  });

  it("STATE-4 that were withdrawn when their grant was on the way keep their slot and are not granted again", () => {
    const stage = new SchedulerFixture({ slots: 1 });
    stage.request("a6");
    stage.request("a7");
    stage.withdraw("a6");
    stage.request("a6");
    expect(stage.news()).toEqual(["a6"]);
    stage.release("a6");
    stage.release("a6");
    expect(stage.news()).toEqual(["a7"]);
    expect(stage.scheduler.used).toBe(1);
  });
});

describe("many requests", () => {
  it("CANCEL-4 are withdrawn all at once, and the execution can ask again", () => {
    const stage = new SchedulerFixture({ slots: 1 });
    for (let step = 1; step <= 100; step++) stage.request(`a${step}`);
    stage.request("b1");
    stage.scheduler.withdrawAll(stage.account("a"));
    expect(stage.scheduler.waiting).toBe(1);
    stage.request("a2");
    stage.release("a1");
    stage.release("b1");
    expect(stage.news()).toEqual(["a1", "b1", "a2"]);
  });

  it("SCHED-3 that come while another is being granted wait for their turn, and none is lost", () => {
    const stage: SchedulerFixture = new SchedulerFixture({
      slots: 2,
      onGrant: (owner, step) => {
        if (step < 4) stage.request(`${owner}${step + 1}`);
      },
    });
    stage.request("a1");
    expect(stage.news()).toEqual(["a1", "a2"]);
    stage.release("a1");
    stage.release("a2");
    expect(stage.news()).toEqual(["a3", "a4"]);
  });
});

describe("requests that a grant leads to at once", () => {
  it("SCHED-2 do not overtake those who wait", () => {
    const stage: SchedulerFixture = new SchedulerFixture({
      slots: 2,
      onGrant: (owner, step) => {
        if (owner === "a" && step === 1) stage.request("a2");
      },
    });
    for (const name of ["z0", "z1", "a1", "b1"]) stage.request(name);
    stage.scheduler.forget(stage.account("z"));
    expect(stage.news()).toEqual(["z0", "z1", "a1", "b1"]);
    stage.release("b1");
    expect(stage.news()).toEqual(["a2"]);
  });
});

describe("a closed scheduler", () => {
  it("CANCEL-3 grants nothing more, asks for no time, and says so", () => {
    const stage = new SchedulerFixture({ slots: 1 });
    stage.request("a1");
    stage.request("a2");
    stage.scheduler.close();
    stage.release("a1");
    stage.request("b1");
    expect(stage.news()).toEqual(["a1"]);
    expect(stage.wakeAtMs).toBeUndefined();
    expect(stage.why("b1")).toContainEqual({ kind: "closing" });
  });
});
