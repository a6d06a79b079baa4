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

it("SCHED-2 a linked list returns the first item, whichever others were deleted", () => {
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

/** A claim of one slot of an agent that allows `max` at once. */
function oneOf(agent: string, max: number): Claim {
  return new Claim(0, new Requirement([new Capacity(agent, "agent").toDemand(1, max)]));
}

describe("limits", () => {
  it("SCHED-1 the slots limit the attempts in a process, and the next starts when one ends", () => {
    const fixture = new SchedulerFixture({ slots: 2 });
    for (const name of ["a1", "a2", "a3", "a4"]) fixture.request(name);
    expect(fixture.takeGrants()).toEqual(["a1", "a2"]);
    expect([fixture.scheduler.usedSlots, fixture.scheduler.waitingCount]).toEqual([2, 2]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["a3"]);
  });

  it("SCHED-4 the running attempts of a reloaded execution keep their resources, even if others wait for them", () => {
    const fixture = new SchedulerFixture({ slots: 10 });
    const claim = oneOf("x", 1);
    fixture.request("a1", claim);
    fixture.request("b1", claim);
    expect(fixture.takeGrants()).toEqual(["a1"]);
    fixture.scheduler.restore(fixture.record("a"), [{ step: 1, claim, startedAtMs: undefined }]);
    expect(fixture.takeGrants()).toEqual([]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["b1"]);
  });

  it("SCHED-1 an execution runs no more than its own limit, and others get the remaining slots", () => {
    const fixture = new SchedulerFixture({ slots: 3 });
    fixture.record("a", 1);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "b3"]) fixture.request(name);
    expect(fixture.takeGrants()).toEqual(["a1", "b1", "b2"]);
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["b3"]);
    fixture.release("b2");
    expect(fixture.takeGrants()).toEqual([]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["a2"]);
  });

  it("SCHED-1 an execution whose last waiting step was withdrawn at its limit waits like any other afterwards", () => {
    const [fixture, x] = [new SchedulerFixture(), oneOf("x", 1)];
    fixture.record("a", 1);
    fixture.request("a1");
    fixture.request("a2", x);
    fixture.withdraw("a2");
    fixture.release("a1");
    fixture.request("b1", x);
    fixture.request("a2", x);
    fixture.takeGrants();
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["a2"]);
  });
});

describe("requests", () => {
  it("SCHED-3 that a limit blocks do not block those behind them", () => {
    const [fixture, x] = [new SchedulerFixture({ slots: 2 }), oneOf("x", 1)];
    fixture.request("a1", x);
    fixture.request("a2", x);
    fixture.request("b1");
    fixture.request("b2");
    expect(fixture.takeGrants()).toEqual(["a1", "b1"]);
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["b2"]);
    fixture.release("a1");
    expect(fixture.takeGrants()).toEqual(["a2"]);
    fixture.scheduler.forget(fixture.record("a"));
    fixture.scheduler.forget(fixture.record("b"));
    expect([fixture.scheduler.usedSlots, fixture.scheduler.waitingCount]).toEqual([0, 0]);
  });

  it("SCHED-3 that were withdrawn are skipped, also when they are made again, and nothing is counted twice", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    for (let step = 1; step <= 5; step++) fixture.request(`a${step}`);
    fixture.withdraw("a2");
    fixture.withdraw("a4");
    fixture.request("a2");
    expect(fixture.scheduler.waitingCount).toBe(3);
    fixture.withdraw("a2");
    fixture.withdraw("a2");
    fixture.request("a2");
    fixture.request("a2");
    expect(fixture.scheduler.waitingCount).toBe(3);
    for (const step of [1, 3, 5, 2]) fixture.release(`a${step}`);
    expect(fixture.takeGrants()).toEqual(["a1", "a3", "a5", "a2"]);
    expect([fixture.scheduler.usedSlots, fixture.scheduler.waitingCount]).toEqual([0, 0]);
  });

  it("STATE-4 that were withdrawn while their grant was in flight keep their slot and are not granted again", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    fixture.request("a6");
    fixture.request("a7");
    fixture.withdraw("a6");
    fixture.request("a6");
    expect(fixture.takeGrants()).toEqual(["a6"]);
    fixture.release("a6");
    fixture.release("a6");
    expect(fixture.takeGrants()).toEqual(["a7"]);
    expect(fixture.scheduler.usedSlots).toBe(1);
  });
});

describe("many requests", () => {
  it("CANCEL-4 are withdrawn all at once, and the execution can make new ones", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    for (let step = 1; step <= 100; step++) fixture.request(`a${step}`);
    fixture.request("b1");
    fixture.scheduler.withdrawAll(fixture.record("a"));
    expect(fixture.scheduler.waitingCount).toBe(1);
    fixture.request("a2");
    fixture.release("a1");
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["a1", "b1", "a2"]);
  });

  it("SCHED-3 that arrive while another is being granted join the queue, and none is lost", () => {
    const fixture: SchedulerFixture = new SchedulerFixture({
      slots: 2,
      onGrant: (owner, step) => {
        if (step < 4) fixture.request(`${owner}${step + 1}`);
      },
    });
    fixture.request("a1");
    expect(fixture.takeGrants()).toEqual(["a1", "a2"]);
    fixture.release("a1");
    fixture.release("a2");
    expect(fixture.takeGrants()).toEqual(["a3", "a4"]);
  });
});

describe("requests made during a grant", () => {
  it("SCHED-2 do not overtake waiting steps", () => {
    const fixture: SchedulerFixture = new SchedulerFixture({
      slots: 2,
      onGrant: (owner, step) => {
        if (owner === "a" && step === 1) fixture.request("a2");
      },
    });
    for (const name of ["z0", "z1", "a1", "b1"]) fixture.request(name);
    fixture.scheduler.forget(fixture.record("z"));
    expect(fixture.takeGrants()).toEqual(["z0", "z1", "a1", "b1"]);
    fixture.release("b1");
    expect(fixture.takeGrants()).toEqual(["a2"]);
  });
});

describe("a closed scheduler", () => {
  it("CANCEL-3 grants nothing more, requests no wake-up, and says so", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    fixture.request("a1");
    fixture.request("a2");
    fixture.scheduler.close();
    fixture.release("a1");
    fixture.request("b1");
    expect(fixture.takeGrants()).toEqual(["a1"]);
    expect(fixture.wakeAtMs).toBeUndefined();
    expect(fixture.why("b1")).toContainEqual({ kind: "closing" });
  });
});
