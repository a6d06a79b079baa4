import { definitionHash, loadContract } from "@segno/contract";
import { compileOrThrow, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { toPlan } from "./to-plan.ts";
import type { Plan, PlannedStep } from "./plan.ts";

function plan(steps: string, options: { head?: string; input?: Json } = {}): Plan {
  const { head = "", input } = options;
  const definition = loadContract(`name: test\n${head}\nsteps:\n${steps}`);
  return toPlan(compileOrThrow(definition), {
    hash: definitionHash(definition),
    ...(input === undefined ? {} : { input }),
  });
}

function findStep(made: Plan, id: string): PlannedStep {
  return made.steps.find((step) => step.id === id)!;
}

const findVerdict = (made: Plan, id: string): object => findStep(made, id).verdict;

const RUNS = { kind: "runs" };
const CONDITION_FALSE = { kind: "skipped", reason: "condition-false" };

describe("the order of a plan", () => {
  const made = plan(`
  - { id: c, run: x, dependsOn: [a] }
  - { id: a, run: x }
  - { id: off, run: x, enabled: false }
  - { id: d, run: x, dependsOn: [off] }
  - { id: b, run: x }
`);

  it("GRAPH-2 goes by waves, and inside a wave as declared", () => {
    expect(made.waves).toEqual([["a", "d", "b"], ["c"]]);
    expect(made.steps.map(({ id }) => id)).toEqual(["a", "d", "b", "c", "off"]);
  });

  it("GRAPH-5 has disabled steps in no wave", () => {
    expect(findStep(made, "off")).toMatchObject({ wave: null, verdict: { kind: "skipped", reason: "disabled" } });
    expect(made.counts).toEqual({ runs: 4, conditional: 0, "on-failure": 0, skipped: 1, fails: 0 });
  });
});

describe("what a step needs", () => {
  it("GRAPH-3 STATE-6 is each dependency once, by declaration, settled ones marked", () => {
    const made = plan(`
  - { id: a, run: x }
  - { id: b, run: x }
  - { id: c, run: x, dependsOn: [{ step: b, on: settled }, a, a] }
`);
    expect(findStep(made, "c").needs.steps).toEqual([
      { step: "a", on: "succeeded" },
      { step: "b", on: "settled" },
    ]);
  });

  it("DATA-9 names resources, agent and secrets, and never a secret's value", () => {
    const made = plan(
      `
  - id: a
    agent: writer
    resources: { gpu: 2 }
    secrets: [listed]
    input: { deep: [{ key: "\${ secrets.placed }" }, "\${ secrets.listed }"] }
`,
      { head: "secrets: [listed, placed]\nresources: { gpu: 4 }" },
    );
    expect(findStep(made, "a").needs).toEqual({
      steps: [],
      resources: { gpu: 2 },
      secrets: ["listed", "placed"],
      agent: "writer",
    });
  });

  it("says how it is tried again, undone and replaced", () => {
    const made = plan(`
  - id: a
    run: x
    retry: 5
    timeout: 90s
    fallback: b
    compensate: { run: undo }
  - { id: b, run: y, onError: continue }
`);
    expect(findStep(made, "a")).toMatchObject({
      retry: { attempts: 5 },
      timeoutMs: 90_000,
      fallback: "b",
      compensate: { kind: "run", does: "undo", secrets: [] },
    });
    expect(findStep(made, "b")).toMatchObject({ onError: "continue", verdict: { kind: "on-failure", of: "a" } });
  });

  it("BEYOND-1 shows the steps inside a map in their order", () => {
    const made = plan(`
  - id: each
    map: { over: input.files, steps: [{ id: second, run: x, dependsOn: [first] }, { id: first, run: x }] }
`);
    expect(findStep(made, "each").inside).toEqual(["first", "second"]);
  });
});

const writerBefore = (when: string): string => `
  - { id: w, run: x, when: "${when}", output: { to: variables.dry } }
  - { id: a, run: x, dependsOn: [w], when: variables.dry }
`;

describe("a condition", () => {
  const onInput = "\n  - { id: a, run: x, when: \"input.tag != 'nightly'\" }\n";

  it("on the input stays open without one, and says what it reads", () => {
    expect(findVerdict(plan(onInput), "a")).toEqual({ kind: "conditional", reads: ["input.tag"] });
  });

  it("on the input is decided by one", () => {
    expect(findVerdict(plan(onInput, { input: { tag: "v1" } }), "a")).toEqual(RUNS);
    expect(findVerdict(plan(onInput, { input: { tag: "nightly" } }), "a")).toEqual(CONDITION_FALSE);
  });

  it("on a variable that nobody writes is decided", () => {
    const steps = "\n  - { id: a, run: x, when: variables.dry }\n";
    expect(findVerdict(plan(steps, { head: "variables: { dry: true }" }), "a")).toEqual(RUNS);
    expect(findVerdict(plan(steps, { head: "variables: { dry: [] }" }), "a")).toEqual(CONDITION_FALSE);
  });

  it("DATA-10 on a variable that a step writes stays open, unless that step is skipped", () => {
    const head = "variables: { dry: true }";
    expect(findVerdict(plan(writerBefore("`true`"), { head }), "a")).toMatchObject({
      kind: "conditional",
      reads: ["variables.dry"],
    });
    expect(findVerdict(plan(writerBefore("`false`"), { head }), "a")).toEqual(RUNS);
  });

  it("on another step stays open", () => {
    const made = plan("\n  - { id: a, run: x }\n  - { id: b, run: x, dependsOn: [a], when: steps.a.output.stdout }\n");
    expect(findVerdict(made, "b")).toEqual({ kind: "conditional", reads: ["steps.a.output.stdout"] });
  });

  it("STATE-5 on a skipped step is decided: its output is null, and its dependants run", () => {
    const made = plan(`
  - { id: a, run: x, enabled: false }
  - { id: b, run: x, dependsOn: [a], when: steps.a.output.stdout }
  - { id: c, run: x, dependsOn: [a], when: "steps.a.status == 'skipped'" }
  - { id: d, run: x, dependsOn: [b] }
`);
    expect([findVerdict(made, "b"), findVerdict(made, "c"), findVerdict(made, "d")]).toEqual([
      CONDITION_FALSE,
      RUNS,
      RUNS,
    ]);
  });

  it("is decided by the part that is known, where that part is enough", () => {
    const made = plan(
      `
  - { id: a, run: x }
  - { id: b, run: x, dependsOn: [a], when: "steps.a.output.stdout && input.go" }
  - { id: c, run: x, dependsOn: [a], when: "!(input.go) || steps.a.output.stdout" }
  - { id: d, run: x, dependsOn: [a], when: "input.go || steps.a.output.stdout" }
`,
      { input: { go: false } },
    );
    expect([findVerdict(made, "b"), findVerdict(made, "c")]).toEqual([CONDITION_FALSE, RUNS]);
    expect(findVerdict(made, "d")).toMatchObject({ kind: "conditional" });
  });

  it("EXPRESSION_TYPE that must fail is told before anything runs", () => {
    const made = plan("\n  - { id: a, run: x, when: length(input.files) > `0` }\n", { input: { files: 7 } });
    expect(findVerdict(made, "a")).toMatchObject({ kind: "fails", code: "EXPRESSION_TYPE" });
    expect(made.counts.fails).toBe(1);
  });
});

describe("a fallback", () => {
  it("STATE-8 is not needed where its primary is skipped", () => {
    const made = plan("\n  - { id: a, run: x, when: input.go, fallback: b }\n  - { id: b, run: y }\n", {
      input: { go: false },
    });
    expect(findVerdict(made, "b")).toEqual({ kind: "skipped", reason: "fallback-unused" });
  });

  it("STATE-8 GRAPH-5 of a disabled step is in no wave", () => {
    const made = plan("\n  - { id: a, run: x, enabled: false, fallback: b }\n  - { id: b, run: y }\n");
    expect(findStep(made, "b")).toMatchObject({ wave: null, verdict: { kind: "skipped", reason: "fallback-unused" } });
  });
});

describe("a condition of a strict workflow", () => {
  it("DATA-5 that reads a missing value fails in a strict workflow, and is skipped in another", () => {
    const steps = "  - { id: a, run: x, when: input.go }";
    expect(findVerdict(plan(steps, { head: "strict: true", input: {} }), "a")).toMatchObject({
      kind: "fails",
      code: "TEMPLATE_MISSING",
    });
    expect(findVerdict(plan(steps, { input: {} }), "a")).toEqual(CONDITION_FALSE);
  });
});

describe("conditions that use up their fuel", () => {
  it("CONTRACT-9 are known up to a bound for all of them together", () => {
    const when = "let $a = input.a in map(&map(&map(&map(&map(&@, $a), $a), $a), $a), $a)";
    const steps = Array.from({ length: 120 }, (_, index) => `  - { id: s${index}, run: x, when: "${when}" }`).join(
      "\n",
    );
    const made = plan(steps, { input: { a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } });
    expect(findVerdict(made, "s0")).toMatchObject({ kind: "fails" });
    expect(findVerdict(made, "s119")).toEqual({ kind: "conditional", reads: ["input.a"] });
  });
});
