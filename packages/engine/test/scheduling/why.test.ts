// Why something waits (SCHED-7).

import { describe, expect, it } from "vitest";
import { Claim, Need, NO_NEED } from "../../src/resources/claim.ts";
import { Capacity, Quota } from "../../src/resources/resource.ts";
import { Stage } from "./stage.ts";

describe("a step that waits", () => {
  it("SCHED-7 for a slot is told so, and who comes first", () => {
    const stage = new Stage({ slots: 1 });
    for (const name of ["z0", "a1", "b1", "b2", "c1", "a2"]) stage.request(name);
    const slots = { kind: "slots", used: 1, max: 1 };
    expect(stage.why("a1")).toEqual([slots]);
    expect(stage.why("a2")).toEqual([slots, { kind: "turn", executions: 0, steps: 1 }]);
    expect(stage.why("b2")).toEqual([slots, { kind: "turn", executions: 1, steps: 1 }]);
    expect(stage.why("c1")).toEqual([slots, { kind: "turn", executions: 2, steps: 0 }]);
    stage.withdraw("b1");
    expect(stage.why("b2")).toEqual([slots, { kind: "turn", executions: 1, steps: 0 }]);
    expect(stage.why("c1")).toEqual([slots, { kind: "turn", executions: 2, steps: 0 }]);
    stage.scheduler.withdrawAll(stage.account("a"));
    expect(stage.why("c1")).toEqual([slots, { kind: "turn", executions: 1, steps: 0 }]);
  });

  it("SCHED-7 for its execution, an agent, the limit of a step or a resource is told who has it", () => {
    const stage = new Stage();
    stage.account("c", 1);
    const holders = [{ owner: "a", step: 1, isGivenUp: false }];
    for (const [role, reason] of [
      ["agent", { kind: "agent", agent: "agent", used: 1, max: 1, holders }],
      ["step", { kind: "step-limit", step: "step", used: 1, max: 1, holders }],
      ["resource", { kind: "resource", resource: "resource", wanted: 1, free: 0, used: 1, max: 1, holders }],
    ] as const) {
      const claim = new Claim(0, new Need([new Capacity(role, role).take(1, 1)]));
      stage.request("a1", claim);
      stage.request("b1", claim);
      expect(stage.why("b1")).toEqual([reason]);
      stage.withdraw("b1");
      stage.release("a1");
    }
    stage.request("c1");
    stage.request("c2");
    expect(stage.why("c2")).toEqual([{ kind: "execution", used: 1, max: 1 }]);
  });

  it("SCHED-7 for a quota is told when it fills", () => {
    const stage = new Stage();
    const quota = new Quota("github", "resource");
    const [one, three, never] = [1, 3, 4].map((amount) => new Claim(0, new Need([quota.take(amount, 3, 60_000)])));
    stage.request("a1", one);
    stage.advance(1000);
    stage.request("a2", one);
    stage.request("b1", three);
    stage.request("c1", never);
    const start = stage.nowMs - 1000;
    expect(stage.why("b1")).toEqual([{ kind: "quota", resource: "github", untilMs: start + 61_000 }]);
    expect(stage.why("c1")).toEqual([{ kind: "quota", resource: "github", untilMs: undefined }]);
    stage.advance(59_000);
    expect(stage.why("b1")).toEqual([{ kind: "quota", resource: "github", untilMs: start + 61_000 }]);
  });
});

describe("what is told", () => {
  it("SCHED-7 is everything that a step waits for", () => {
    const stage = new Stage({ slots: 2 });
    stage.account("a", 1);
    const [db, disk] = ["db", "disk"].map((name) => new Capacity(name, "resource"));
    stage.request("b1", new Claim(0, new Need([db!.take(1, 1)])));
    stage.request("a1", new Claim(0, new Need([disk!.take(1, 1)])));
    stage.request("a2", new Claim(0, new Need([db!.take(1, 1), disk!.take(1, 1)])));
    expect(stage.why("a2").map(({ kind }) => kind)).toEqual(["slots", "execution", "resource", "resource"]);
  });

  it("SCHED-7 is nothing of what runs, was withdrawn or never asked", () => {
    const stage = new Stage({ slots: 1 });
    stage.request("a1");
    stage.request("a2");
    stage.withdraw("a2");
    expect([stage.why("a1"), stage.why("a2"), stage.why("a3"), stage.why("b1")]).toEqual([[], [], [], []]);
  });

  it("SCHED-7 is the place in the execution's own order, also where that is not first in, first out", () => {
    const stage = new Stage({ slots: 1, strategy: "hybrid", weight: (_, step) => step });
    stage.request("z0");
    for (const step of [1, 5, 3]) stage.request(`a${step}`);
    stage.request("a9", new Claim(1, NO_NEED));
    const before = (name: string): unknown => stage.why(name)[1];
    expect(before("a9")).toBeUndefined();
    expect(before("a5")).toEqual({ kind: "turn", executions: 0, steps: 1 });
    expect(before("a1")).toEqual({ kind: "turn", executions: 0, steps: 3 });
  });
});
