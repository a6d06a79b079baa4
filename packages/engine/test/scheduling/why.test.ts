// Why a step waits (SCHED-7).

import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT } from "../../src/scheduler/resources/claim.ts";
import { Capacity, Quota } from "../../src/scheduler/resources/resource.ts";
import { SchedulerFixture } from "./fixture.ts";

describe("a step that waits", () => {
  it("SCHED-7 for a slot says so, and who goes first", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    for (const name of ["z0", "a1", "b1", "b2", "c1", "a2"]) fixture.request(name);
    const slots = { kind: "slots", used: 1, max: 1 };
    expect(fixture.why("a1")).toEqual([slots]);
    expect(fixture.why("a2")).toEqual([slots, { kind: "position", executions: 0, steps: 1 }]);
    expect(fixture.why("b2")).toEqual([slots, { kind: "position", executions: 1, steps: 1 }]);
    expect(fixture.why("c1")).toEqual([slots, { kind: "position", executions: 2, steps: 0 }]);
    fixture.withdraw("b1");
    expect(fixture.why("b2")).toEqual([slots, { kind: "position", executions: 1, steps: 0 }]);
    expect(fixture.why("c1")).toEqual([slots, { kind: "position", executions: 2, steps: 0 }]);
    fixture.scheduler.withdrawAll(fixture.record("a"));
    expect(fixture.why("c1")).toEqual([slots, { kind: "position", executions: 1, steps: 0 }]);
  });

  it("SCHED-7 for its execution, an agent, the limit of a step or a resource says who holds it", () => {
    const fixture = new SchedulerFixture();
    fixture.record("c", 1);
    const holders = [{ execution: "a", step: 1, isLingering: false }];
    for (const [role, reason] of [
      ["agent", { kind: "agent", agent: "agent", used: 1, max: 1, holders }],
      ["step", { kind: "step-limit", step: "step", used: 1, max: 1, holders }],
      ["declared", { kind: "resource", resource: "declared", wanted: 1, free: 0, used: 1, max: 1, holders }],
    ] as const) {
      const claim = new Claim(0, new Requirement([new Capacity(role, role).toDemand(1, 1)]));
      fixture.request("a1", claim);
      fixture.request("b1", claim);
      expect(fixture.why("b1")).toEqual([reason]);
      fixture.withdraw("b1");
      fixture.release("a1");
    }
    fixture.request("c1");
    fixture.request("c2");
    expect(fixture.why("c2")).toEqual([{ kind: "execution-limit", used: 1, max: 1 }]);
  });

  it("SCHED-7 for a quota says when it fits", () => {
    const fixture = new SchedulerFixture();
    const quota = new Quota("github", "declared");
    const [one, three, never] = [1, 3, 4].map(
      (amount) => new Claim(0, new Requirement([quota.toDemand(amount, 3, 60_000)])),
    );
    fixture.request("a1", one);
    fixture.advance(1000);
    fixture.request("a2", one);
    fixture.request("b1", three);
    fixture.request("c1", never);
    const start = fixture.nowMs - 1000;
    expect(fixture.why("b1")).toEqual([{ kind: "quota", resource: "github", untilMs: start + 61_000 }]);
    expect(fixture.why("c1")).toEqual([{ kind: "quota", resource: "github", untilMs: undefined }]);
    fixture.advance(59_000);
    expect(fixture.why("b1")).toEqual([{ kind: "quota", resource: "github", untilMs: start + 61_000 }]);
  });
});

describe("the reasons", () => {
  it("SCHED-7 are all obstacles of a step", () => {
    const fixture = new SchedulerFixture({ slots: 2 });
    fixture.record("a", 1);
    const [db, disk] = ["db", "disk"].map((name) => new Capacity(name, "declared"));
    fixture.request("b1", new Claim(0, new Requirement([db!.toDemand(1, 1)])));
    fixture.request("a1", new Claim(0, new Requirement([disk!.toDemand(1, 1)])));
    fixture.request("a2", new Claim(0, new Requirement([db!.toDemand(1, 1), disk!.toDemand(1, 1)])));
    expect(fixture.why("a2").map(({ kind }) => kind)).toEqual(["slots", "execution-limit", "resource", "resource"]);
  });

  it("SCHED-7 are empty for a step that runs, was withdrawn or was never requested", () => {
    const fixture = new SchedulerFixture({ slots: 1 });
    fixture.request("a1");
    fixture.request("a2");
    fixture.withdraw("a2");
    expect([fixture.why("a1"), fixture.why("a2"), fixture.why("a3"), fixture.why("b1")]).toEqual([[], [], [], []]);
  });

  it("SCHED-7 include the position in the execution's own order, also if that is not first in, first out", () => {
    const fixture = new SchedulerFixture({ slots: 1, strategy: "hybrid", weight: (_, step) => step });
    fixture.request("z0");
    for (const step of [1, 5, 3]) fixture.request(`a${step}`);
    fixture.request("a9", new Claim(1, NO_REQUIREMENT));
    const before = (name: string): unknown => fixture.why(name)[1];
    expect(before("a9")).toBeUndefined();
    expect(before("a5")).toEqual({ kind: "position", executions: 0, steps: 1 });
    expect(before("a1")).toEqual({ kind: "position", executions: 0, steps: 3 });
  });
});
