import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { durationMs, stepId, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { ClaimMaker } from "./claim-maker.ts";
import { NO_REQUIREMENT, type Claim } from "./claim.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function step(id: string, more: Partial<StepDefinition> = {}): StepDefinition {
  return { id: stepId(id), action: { kind: "run", script: "true" }, ...more };
}

function agentStep(agent: string, more: Partial<StepDefinition> = {}): StepDefinition {
  return step("call", { action: { kind: "agent", agent }, ...more });
}

function workflow(steps: readonly StepDefinition[], more: Partial<Definition> = {}): Definition {
  return { name: "sample", steps, ...more };
}

function makeClaim(maker: ClaimMaker, only: StepDefinition, more: Partial<Definition> = {}): Claim {
  return maker.makeClaim(workflow([only], more), only);
}

function listAmounts({ requirement }: Claim): unknown[] {
  return requirement.demands.map(({ resource, amount, bound }) => [
    resource.kind,
    resource.role,
    resource.name,
    amount,
    bound,
  ]);
}

describe("the claim of a step", () => {
  it("SCHED-1 an ordinary step needs only a slot, and shares its claim with all of its priority", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const claims = [step("a"), step("b"), agentStep("sample/0"), step("c", { priority: 0 })].map((each) =>
      makeClaim(maker, each),
    );
    expect(new Set(claims).size).toBe(1);
    expect([claims[0]!.requirement, claims[0]!.priority, claims[0]!.isSlotOnly]).toEqual([NO_REQUIREMENT, 0, true]);
    const urgent = makeClaim(maker, step("d", { priority: 7 }));
    expect([urgent.priority, urgent.isSlotOnly]).toEqual([7, true]);
  });

  it("SCHED-1 a named agent runs 3 at once unless its definition says otherwise", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    expect(listAmounts(makeClaim(maker, agentStep("x")))).toEqual([["capacity", "agent", "x", 1, 3]]);
    const limits = { concurrency: 7, rate: { rate: 30, per: durationMs(60_000) } };
    expect(listAmounts(makeClaim(maker, agentStep("x"), { agents: { x: { limits } } }))).toEqual([
      ["capacity", "agent", "x", 1, 7],
      ["quota", "agent", "x", 1, 30],
    ]);
    expect(listAmounts(makeClaim(maker, agentStep("toString")))).toEqual([["capacity", "agent", "toString", 1, 3]]);
  });

  it("SCHED-3 the limits of a step apply to that step of that workflow across all executions", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const limited = step("a", { limits: { concurrency: 2, rate: { rate: 5, per: durationMs(1000) } } });
    const claim = makeClaim(maker, limited);
    expect(listAmounts(claim)).toEqual([
      ["capacity", "step", "sample/a", 1, 2],
      ["quota", "step", "sample/a", 1, 5],
    ]);
    expect(makeClaim(maker, { ...limited })).toBe(claim);
    expect(makeClaim(maker, limited, { name: "other" }).requirement.demands[0]!.resource).not.toBe(
      claim.requirement.demands[0]!.resource,
    );
  });
});

describe("the resources of a claim", () => {
  it("SCHED-4 are shared by name; each workflow stays within the bound that it declares", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const using = step("a", { resources: { db: 2 } });
    const [four, six] = [4, 6].map((capacity) =>
      makeClaim(maker, using, { resources: { db: { kind: "capacity", capacity } } }),
    );
    expect([listAmounts(four!), listAmounts(six!)]).toEqual([
      [["capacity", "declared", "db", 2, 4]],
      [["capacity", "declared", "db", 2, 6]],
    ]);
    expect(four!.requirement.demands[0]!.meter).toBe(six!.requirement.demands[0]!.meter);
  });

  it("SCHED-4 are distinct for a capacity, a quota, an agent and a step of the same name", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const capacity = makeClaim(maker, step("a", { resources: { x: 1 } }), {
      resources: { x: { kind: "capacity", capacity: 1 } },
    });
    const quota = makeClaim(maker, step("a", { resources: { x: 1 } }), {
      resources: { x: { kind: "quota", rate: 1, per: durationMs(1000) } },
    });
    const agent = makeClaim(maker, agentStep("x"));
    expect(new Set([capacity, quota, agent].map(({ requirement }) => requirement.demands[0]!.resource)).size).toBe(3);
  });

  it("SCHED-6 are one requirement if equal, whichever definition and priority they come from", () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const resources = {
      db: { kind: "capacity", capacity: 4 },
      api: { kind: "quota", rate: 5, per: durationMs(1000) },
    } as const;
    const one = makeClaim(maker, step("a", { resources: { db: 1, api: 2 } }), { resources });
    const two = makeClaim(maker, step("b", { resources: { api: 2, db: 1 }, priority: 3 }), {
      resources,
      name: "other",
    });
    expect(two.requirement).toBe(one.requirement);
    expect(two).not.toBe(one);
    const longer = { ...resources, api: { kind: "quota", rate: 5, per: durationMs(2000) } } as const;
    expect(makeClaim(maker, step("a", { resources: { db: 1, api: 2 } }), { resources: longer }).requirement).not.toBe(
      one.requirement,
    );
  });
});

describe("the memory of claims", () => {
  const claimOf = (maker: ClaimMaker, name: string): Claim =>
    makeClaim(maker, step("a", { resources: { [name]: 1 } }), {
      resources: { [name]: { kind: "capacity", capacity: 1 } },
    });

  async function heldBytes(): Promise<number> {
    // Keys are removed after the collection, in tasks of the event loop.
    for (let round = 0; round < 5; round++) {
      collect();
      await setImmediate();
    }
    return process.memoryUsage().heapUsed;
  }

  it("SCHED-4 does not grow with the names of resources that nothing uses any more", async () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const kept = claimOf(maker, "kept");
    const use = (prefix: string): void => {
      for (let index = 0; index < 20_000; index++) claimOf(maker, `${prefix}-${index}`);
    };
    // The first names make the tables larger, which then stay so.
    use("first");
    const before = await heldBytes();
    use("second");
    expect((await heldBytes()) - before).toBeLessThan(2_000_000);
    expect(claimOf(maker, "kept")).toBe(kept);
  });

  it("SCHED-4 has a capacity as long as a demand for it", async () => {
    const maker = new ClaimMaker({ perAgent: 3 });
    const { demands } = claimOf(maker, "held").requirement;
    demands[0]!.meter.add(1);
    await heldBytes();
    expect(claimOf(maker, "held").requirement.demands[0]!.meter).toBe(demands[0]!.meter);
    expect(maker.capacityInUse).toBe(1);
  });
});

describe("the breaker of an agent", () => {
  it("FAIL-6 exists by default, is shared by name, can be set by definition and engine, and can be turned off", () => {
    const findBreaker = (maker: ClaimMaker, agents: Definition["agents"] = {}): unknown =>
      makeClaim(maker, agentStep("x"), { agents }).requirement.breaker?.name;
    const maker = new ClaimMaker({ perAgent: 3 });
    expect(findBreaker(maker)).toBe('["x",5,30000]');
    expect(makeClaim(maker, agentStep("x", { priority: 1 })).requirement.breaker).toBe(
      makeClaim(maker, agentStep("x", { priority: 2 })).requirement.breaker,
    );
    expect(findBreaker(maker, { x: { breaker: { failures: 2 } } })).toBe('["x",2,30000]');
    const patient = new ClaimMaker({ perAgent: 3, breaker: { cooldown: durationMs(1000) } });
    expect(findBreaker(patient)).toBe('["x",5,1000]');
    const off = new ClaimMaker({ perAgent: 3, breaker: false });
    expect(findBreaker(off)).toBeUndefined();
    expect(findBreaker(off, { x: { breaker: { failures: 1 } } })).toBe('["x",1,30000]');
  });
});

describe("the engine's declaration of a resource", () => {
  const maker = new ClaimMaker({
    perAgent: 3,
    resources: { db: { kind: "capacity", capacity: 2 }, api: { kind: "quota", rate: 3, per: durationMs(1000) } },
  });
  const declared = { resources: { db: { kind: "capacity", capacity: 8 } } } as const;

  it("SCHED-4 wins over a workflow's, and serves workflows without one", () => {
    expect(listAmounts(makeClaim(maker, step("a", { resources: { db: 1 } }), declared))).toEqual([
      ["capacity", "declared", "db", 1, 2],
    ]);
    expect(listAmounts(makeClaim(maker, step("a", { resources: { api: 1 } })))).toEqual([
      ["quota", "declared", "api", 1, 3],
    ]);
  });

  it("SCHED-4 refuses a workflow that requires more, also inside a map, unless the step is disabled", () => {
    const findClaimProblem = (only: StepDefinition): string | undefined =>
      maker.findProblem(workflow([only], declared));
    expect(findClaimProblem(step("a", { resources: { db: 2 } }))).toBeUndefined();
    const large = step("a", { resources: { db: 3 } });
    expect(findClaimProblem(large)).toBe("the step `a` requires 3 of `db`, but the limit is 2: it would wait forever");
    expect(findClaimProblem(step("m", { action: { kind: "map", over: "input", steps: [large] } }))).toContain("`a`");
    expect(findClaimProblem({ ...large, enabled: false })).toBeUndefined();
    expect(maker.findProblem(workflow([step("b", { resources: { api: 4 } })]))).toContain("`api`");
  });

  it("SCHED-4 is reported as missing if the workflow has none either", () => {
    const unknown = step("a", { resources: { gpu: 1, constructor: 1 } });
    expect(maker.findProblem(workflow([unknown]))).toContain("`gpu`");
    expect(makeClaim(maker, unknown).requirement).toBe(NO_REQUIREMENT);
  });
});
