// Cases that the properties have found, in their shortest form, as regression tests.

import { describe, expect, it } from "vitest";
import {
  contentHash,
  durationMs,
  inlineValue,
  compileOrThrow,
  toSnapshot,
  stepId,
  stepIndex,
  stepNamed,
  type Definition,
  type Failure,
  type Outcome,
  type StepDefinition,
} from "../../src/index.ts";
import { Choices } from "./choices.ts";
import { SUB_WORKFLOWS } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { violations } from "./invariants.ts";

type Rest = Partial<Omit<StepDefinition, "id" | "dependsOn" | "fallback">> & {
  readonly after?: readonly string[];
  readonly fallback?: string;
};

function step(id: string, { after = [], fallback, ...rest }: Rest = {}): StepDefinition {
  return {
    id: stepId(id),
    action: { kind: "run", script: "work" },
    dependsOn: after.map((name) => ({
      step: stepId(name.replace("~", "")),
      on: name.startsWith("~") ? "settled" : "succeeded",
    })),
    ...(fallback === undefined ? {} : { fallback: stepId(fallback) }),
    ...rest,
  };
}

function start(
  steps: readonly StepDefinition[],
  rest: Partial<Definition> = {},
  sub: readonly StepDefinition[] = [],
): Driver {
  const library = new Map([[SUB_WORKFLOWS[0]!, compileOrThrow({ name: "sub0", steps: sub })]]);
  const driver = new Driver({ program: compileOrThrow({ name: "w", steps, ...rest }), library });
  driver.onTurn = () => {
    expect(violations(driver.state)).toEqual([]);
    toSnapshot(driver.state);
  };
  driver.begin();
  return driver;
}

const BROKEN: Failure = { class: "permanent", code: "BROKEN", message: "it broke" };
const FAILED: Outcome = { kind: "failed", failure: BROKEN };
const DONE: Outcome = { kind: "succeeded", output: inlineValue(1) };
const EXPANDED: Outcome = { kind: "expanded", steps: [step("d0")] };
const UNDO: Rest = { compensate: { action: { kind: "run", script: "undo" } } };

/** Grants every request. */
function grantAll(driver: Driver): void {
  for (const admitted of driver.admits) driver.grant(admitted);
}

function end(driver: Driver, id: string, outcome: Outcome): void {
  grantAll(driver);
  driver.end(stepNamed(driver.state, id)!, outcome);
}

function statuses(driver: Driver): Record<string, string> {
  return Object.fromEntries(toSnapshot(driver.state).steps.map(({ name, status }) => [name, status]));
}

function finish(driver: Driver): string {
  expect(driver.finish(new Choices(new Uint8Array()))).toBeUndefined();
  return driver.state.baseStatus;
}

describe("cancelling", () => {
  it("CANCEL-3 an attempt that expands while the execution is drained ends instead of opening for ever", () => {
    const driver = start([step("a"), step("b")]);
    grantAll(driver);
    driver.bring({ kind: "cancel", mode: "drain", reason: "enough" });
    end(driver, "a", EXPANDED);
    expect(statuses(driver)).toMatchObject({ a: "cancelled", b: "running" });
    expect(driver.journal.at(-1)).toMatchObject({ kind: "step.cancelled", ended: "itself" });
    expect(finish(driver)).toBe("cancelled");
  });

  it("LEASE-2 a result that comes twice does not end the scope that it once opened", () => {
    const driver = start([step("a")]);
    end(driver, "a", EXPANDED);
    grantAll(driver);
    driver.bring({ kind: "cancel", mode: "abort", reason: "enough" });
    expect(driver.bring({ kind: "ended", step: stepIndex(0), epoch: 1, outcome: EXPANDED }).isIgnored).toBe(true);
    expect(driver.bring({ kind: "lost", step: stepIndex(0), epoch: 1, reason: "twice" }).isIgnored).toBe(true);
    expect(finish(driver)).toBe("cancelled");
  });

  it("CANCEL-2 cancelling a held execution lets its compensation continue", () => {
    const driver = start([step("a", UNDO), step("b", { after: ["a"] })], { onFailure: "compensate" });
    end(driver, "a", DONE);
    end(driver, "b", FAILED);
    driver.bring({ kind: "pause" });
    driver.bring({ kind: "cancel", mode: "abort", reason: "enough" });
    expect(driver.admits.size).toBe(1);
    expect(finish(driver)).toBe("cancelled");
    expect(statuses(driver)).toMatchObject({ "a/compensate": "succeeded" });
  });

  it("CANCEL-2 a step that was a scope in an earlier round and is an attempt now is killed like any other", () => {
    const driver = start([step("a", UNDO), step("b", { after: ["a"] })], { onFailure: "compensate" });
    end(driver, "a", EXPANDED);
    grantAll(driver);
    driver.end(2, DONE);
    end(driver, "b", FAILED);
    expect(finish(driver)).toBe("failed");
    driver.bring({ kind: "retry" });
    grantAll(driver);
    driver.bring({ kind: "cancel", mode: "abort", reason: "enough" });
    driver.now += 5000;
    driver.bring({
      kind: "due",
      timer: { kind: "grace-end", step: stepIndex(0), epoch: driver.state.columns.epoch[0]! },
    });
    expect(driver.state.baseStatus).toBe("cancelled");
  });
});

describe("a new round", () => {
  it("STATE-8 leaves a fallback alone that its primary did not need", () => {
    const driver = start([step("p", { fallback: "f" }), step("f"), step("z", { after: ["p"] })]);
    end(driver, "p", DONE);
    end(driver, "z", FAILED);
    driver.bring({ kind: "retry" });
    expect(statuses(driver)).toMatchObject({ p: "succeeded", f: "skipped" });
    expect(finish(driver)).toBe("completed");
  });

  it("STATE-8 does not open the scope of a fallback before its primary has failed again", () => {
    const fallback = step("f", { action: { kind: "workflow", workflow: "sub0" } });
    const driver = start([step("p", { fallback: "f" }), fallback], {}, [step("w")]);
    end(driver, "p", FAILED);
    driver.resolve(1);
    grantAll(driver);
    driver.end(2, FAILED);
    driver.bring({ kind: "retry" });
    expect(statuses(driver)).toMatchObject({ p: "queued", f: "waiting" });
    end(driver, "p", DONE);
    expect(driver.state.baseStatus).toBe("completed");
    expect(statuses(driver)).toMatchObject({ f: "skipped" });
  });

  it("STATE-3 recounts steps that have ended too, so that no count goes below zero", () => {
    const driver = start([step("a"), step("b", { after: ["~a"] })]);
    end(driver, "a", FAILED);
    end(driver, "b", DONE);
    driver.bring({ kind: "retry" });
    end(driver, "a", DONE);
    expect(toSnapshot(driver.state).steps.map(({ unmet }) => unmet)).toEqual([0, 0]);
    expect(driver.state.baseStatus).toBe("completed");
  });

  it("FAIL-8 opens a scope again when something inside it was undone", () => {
    const sub = step("s", { action: { kind: "workflow", workflow: "sub0" } });
    const driver = start([sub, step("z", { after: ["s"] })], { onFailure: "compensate" }, [step("w", UNDO)]);
    driver.resolve(0);
    grantAll(driver);
    driver.end(2, DONE);
    end(driver, "z", FAILED);
    expect(finish(driver)).toBe("failed");
    driver.bring({ kind: "retry" });
    expect(statuses(driver)).toMatchObject({ s: "open", "s/w": "queued", "s/w/compensate": "succeeded" });
    expect(finish(driver)).toBe("completed");
  });

  it("FAIL-4 has the workflow's time from its own start", () => {
    const driver = start([step("a")], { timeout: durationMs(1000) });
    end(driver, "a", FAILED);
    driver.now += 5000;
    driver.bring({ kind: "retry" });
    expect(driver.state.deadline).toBe(driver.now + 1000);
    expect([...driver.timers.values()].map(({ dueAt }) => dueAt)).toContain(driver.now + 1000);
  });
});

describe("failing", () => {
  it("FAIL-8 a parked execution whose last step ends begins to undo when it is resumed", () => {
    const driver = start([step("a", UNDO), step("b", { after: ["a"] }), step("c")], { onFailure: "compensate" });
    end(driver, "a", DONE);
    grantAll(driver);
    end(driver, "b", FAILED);
    driver.bring({ kind: "park", cause: "journal-limit", reason: "look" });
    end(driver, "c", DONE);
    expect(driver.journal.at(-1)?.kind).toBe("execution.compensating");
    expect(driver.admits.size).toBe(0);
    expect(finish(driver)).toBe("failed");
  });

  it("FAIL-8 an execution whose output cannot be rendered is compensated if its failure mode says so", () => {
    const driver = start([step("a", UNDO)], { onFailure: "compensate", output: "${ abs(input.list) }" });
    end(driver, "a", DONE);
    expect(finish(driver)).toBe("failed");
    expect(statuses(driver)).toEqual({ a: "succeeded", "a/compensate": "succeeded" });
    expect(driver.state.failure?.failure.code).toBe("EXPRESSION_TYPE");
  });

  it("STATE-7 a step that says `continue` does not use up the tolerance of its map", () => {
    const inside = [step("x", { onError: "continue" }), step("y")];
    const map: Rest = { action: { kind: "map", over: "`[1,2]`", steps: inside, tolerance: 1 } };
    const driver = start([step("m", map)]);
    grantAll(driver);
    for (const [place, outcome] of [
      [1, FAILED],
      [3, FAILED],
      [2, FAILED],
      [4, DONE],
    ] as const)
      driver.end(place, outcome);
    expect(driver.state.baseStatus).toBe("completed");
  });

  it("STATE-6 the children of a clean-up step continue while the execution fails", () => {
    const cleanUp: Rest = { after: ["~a"], action: { kind: "map", over: "`[1]`", steps: [step("i")] } };
    const driver = start([step("a"), step("b"), step("m", cleanUp)]);
    end(driver, "a", DONE);
    end(driver, "b", FAILED);
    expect(statuses(driver)).toMatchObject({ b: "failed", m: "open", "m/0": "running" });
    driver.end(3, DONE);
    expect(statuses(driver)).toMatchObject({ m: "succeeded", "m/0": "succeeded" });
    expect(driver.state.baseStatus).toBe("failed");
  });

  it("FAIL-9 a compensation that is lost too often while the execution is cancelled ends nevertheless", () => {
    const driver = start([step("a", UNDO), step("b")]);
    end(driver, "a", DONE);
    driver.bring({ kind: "cancel", mode: "abort", reason: "enough", compensate: true });
    driver.end(1, DONE);
    for (let loss = 0; loss < 8 && !driver.isEnded; loss++) {
      if (driver.state.hold !== undefined) driver.bring({ kind: "resume" });
      grantAll(driver);
      if (driver.attempts.has(2)) driver.lose(2);
    }
    expect(finish(driver)).toBe("cancelled");
  });
});

describe("expansions and grants", () => {
  it("STATE-9 steps made inside a map may read its item, live and when they are folded", () => {
    const driver = start([step("m", { action: { kind: "map", over: "`[7]`", steps: [step("i")] } })]);
    grantAll(driver);
    driver.end(1, { kind: "expanded", steps: [step("d", { input: "${ item }" })] });
    grantAll(driver);
    expect(driver.journal.at(-1)).toMatchObject({ kind: "step.started", call: { json: { input: 7 } } });
    expect(finish(driver)).toBe("completed");
  });

  it("FAIL-8 a compensation may expand, also while the execution is cancelled", () => {
    const driver = start([step("a", UNDO), step("b")]);
    end(driver, "a", DONE);
    driver.bring({ kind: "cancel", mode: "abort", reason: "enough", compensate: true });
    driver.end(1, DONE);
    grantAll(driver);
    driver.end(2, EXPANDED);
    expect(statuses(driver)).toMatchObject({ "a/compensate": "open", "a/compensate/d0": "queued" });
    expect(finish(driver)).toBe("cancelled");
    expect(statuses(driver)).toMatchObject({ "a/compensate/d0": "succeeded" });
  });

  it("STATE-4 a grant for a step that requested a definition is one slot too many", () => {
    const driver = start([step("s", { action: { kind: "workflow", workflow: "sub0" } })]);
    const turn = driver.bring({ kind: "granted", step: stepIndex(0) });
    expect(turn).toMatchObject({ events: [], isIgnored: true, effects: [{ kind: "release", step: 0 }] });
    expect(
      driver.bring({ kind: "resolved", step: stepIndex(0), definition: contentHash("sha256:nowhere") }).events,
    ).toEqual([]);
    expect(finish(driver)).toBe("completed");
  });
});

describe("data", () => {
  it("DATA-2 an input that is not given is checked too", () => {
    const driver = start([step("a", { inputSchema: { type: "object" } })]);
    expect(driver.state.failure?.failure.code).toBe("INPUT_INVALID");
  });

  it("DATA-10 whether an output can be written depends on the writes of ancestors, not on which step was faster", () => {
    const steps = [
      step("a", { output: { to: "variables.x", merge: "merge" } }),
      step("b", { output: { to: "variables.x.n", merge: "merge" } }),
    ];
    const outputs = { a: { n: 1, k: 1 }, b: { m: 2 } };
    for (const order of [["a", "b"] as const, ["b", "a"] as const]) {
      const driver = start([...steps, step("z", { after: ["a", "b"], input: "${ variables.x }" })]);
      for (const id of order) end(driver, id, { kind: "succeeded", output: inlineValue(outputs[id]) });
      grantAll(driver);
      expect(driver.journal.at(-1)).toMatchObject({ call: { json: { input: { n: { m: 2 }, k: 1 } } } });
    }
  });

  it("DATA-10 steps created at run time see only the steps before their parent", () => {
    const reads = step("d", { input: ["${ steps.a.output }", "${ steps.b.output }", "${ variables.x }"] });
    const driver = start([step("a"), step("b", { output: { to: "variables.x" } }), step("m", { after: ["a"] })]);
    end(driver, "a", DONE);
    end(driver, "b", DONE);
    end(driver, "m", { kind: "expanded", steps: [reads] });
    grantAll(driver);
    expect(driver.journal.at(-1)).toMatchObject({ call: { json: { input: [1, null, null] } } });
  });
});

describe("clocks", () => {
  it("JOURNAL-4 a timer that rings a moment too early is armed again", () => {
    const driver = start([step("a", { action: { kind: "wait", on: "duration", for: durationMs(20) } })]);
    const [key] = [...driver.timers.keys()];
    driver.ring(key!, -1);
    expect(driver.timers.size).toBe(1);
    driver.ring(key!);
    expect(driver.state.baseStatus).toBe("completed");
  });

  it("JOURNAL-4 a timer counts by the time that the journal has reached, when the clock has gone back", () => {
    const driver = start([step("a", { action: { kind: "wait", on: "duration", for: durationMs(20) } }), step("b")]);
    driver.now = 2000;
    end(driver, "b", DONE);
    driver.now = 0;
    driver.bring({ kind: "due", timer: { kind: "wait", step: stepIndex(0) } });
    expect(driver.state.baseStatus).toBe("completed");
  });
});
