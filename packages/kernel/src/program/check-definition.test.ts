// Problems of ids, dependencies, fallbacks, resources and secrets: code, path, message and hint.

import { describe, expect, it } from "vitest";
import type { StepDefinition } from "../model/definition.ts";
import { stepId } from "../model/units.ts";
import {
  map,
  problemPaths,
  problems,
  READS_A,
  step,
  workflow,
  type Rest,
} from "../../test/properties/written-steps.ts";
import { compileExpansion, compileOrThrow } from "./compile.ts";

it("GRAPH-7 ids are unique, names need not be", () => {
  expect(problems([step("a", { name: "same" }), step("b", { name: "same" })])).toEqual([]);
  expect(problems([step("a"), step("a")])).toEqual([
    "DUPLICATE_STEP steps[1].id: the id `a` is already used by step 1 => names may repeat, ids may not",
  ]);
});

it("GRAPH-7 an id is a word that an expression can name", () => {
  for (const id of ["a", "_", "a-b", "A9_-"]) expect(problemPaths([step(id)])).toEqual([]);
  for (const id of ["", "1a", "a b", "a/b", "-a", "ä", "__proto__", "constructor", "prototype"])
    expect(problemPaths([step(id)])).toEqual(["STEP_ID_INVALID steps[0].id"]);
  expect(problems([step("a b")])).toEqual([
    "STEP_ID_INVALID steps[0].id: `a b` cannot be an id => an id is a letter or `_`, then letters, digits, `_` and `-`",
  ]);
});

it("IDEM-4 STEP_ID_INVALID `compensate` is not an id, because `x/compensate` is the compensation of `x`", () => {
  expect(problems([step("compensate")])).toEqual([
    "STEP_ID_INVALID steps[0].id: `compensate` cannot be an id: `x/compensate` is the name of the compensation of `x` => use another word, such as `undo`",
  ]);
  expect(problemPaths([step("m", map([step("compensate")]))])).toEqual(["STEP_ID_INVALID steps[0].action.steps[0].id"]);
  expect(problemPaths([step("compensated"), step("Compensate")])).toEqual([]);
  const made = compileExpansion(workflow([]), [step("compensate")], { inMap: false, inRepeat: false });
  expect(made).toMatchObject({ kind: "problems", problems: [{ code: "STEP_ID_INVALID" }] });
});

describe("BEYOND-1 a workflow that calls itself", () => {
  const call = (name: string, rest: Rest = {}): StepDefinition =>
    step("again", { action: { kind: "workflow", workflow: name }, ...rest });

  it("WORKFLOW_CYCLE is refused if it is certain to", () => {
    expect(problems([step("a"), call("w", { after: ["a"] })])).toEqual([
      "WORKFLOW_CYCLE steps[1].action.workflow: `again` calls `w`, which is its own workflow, so an execution could never end => for a loop use `repeat`; or give the step a `when` that becomes false",
    ]);
    expect(problemPaths([call("w@2")], { version: "2" })).toEqual(["WORKFLOW_CYCLE steps[0].action.workflow"]);
  });

  it("may do so if the call can end, or refers to another version", () => {
    expect(problemPaths([call("w", { when: "input.more" })])).toEqual([]);
    expect(problemPaths([call("w", { enabled: false })])).toEqual([]);
    expect(problemPaths([step("a", { fallback: stepId("again") }), call("w")])).toEqual([]);
    expect(problemPaths([step("m", map([call("w")]))])).toEqual([]);
    expect(problemPaths([call("w@1")], { version: "2" })).toEqual([]);
    expect(problemPaths([call("w@undefined")])).toEqual([]);
  });
});

it("GRAPH-6 an unknown dependency is reported with its path and the nearest id", () => {
  expect(problems([step("build"), step("test", { after: ["biuld", "zzzzzz"] })])).toEqual([
    "UNKNOWN_DEPENDENCY steps[1].dependsOn[0]: `test` depends on `biuld`, which is not a step of this workflow => did you mean `build`?",
    "UNKNOWN_DEPENDENCY steps[1].dependsOn[1]: `test` depends on `zzzzzz`, which is not a step of this workflow",
  ]);
});

it("GRAPH-1 a cycle is reported by names, and by ids too if names repeat", () => {
  const hint = "an arrow points to the step that waits; remove one dependency of the cycle";
  expect(problems([step("a", { after: ["b"] }), step("b", { after: ["a"] })])).toEqual([
    `DEPENDENCY_CYCLE steps[0].dependsOn[0]: these steps wait for each other: a -> b -> a => ${hint}`,
  ]);
  const named = [
    step("a", { name: "Same", after: ["c"] }),
    step("b", { name: "Same", after: ["a"] }),
    step("c", { name: "Other", after: ["b"] }),
  ];
  expect(problems(named)).toEqual([
    `DEPENDENCY_CYCLE steps[0].dependsOn[0]: these steps wait for each other: Same (a) -> Same (b) -> Other -> Same (a) => ${hint}`,
  ]);
  expect(problemPaths([step("a", { after: ["a"] })])).toEqual(["DEPENDENCY_CYCLE steps[0].dependsOn[0]"]);
});

it("GRAPH-6 everything is reported: structural, then ids and dependencies, each by declaration; cycles last", () => {
  const steps = [
    step("a", { after: ["b", "x"], input: READS_A }),
    step("b", { after: ["a"], when: "steps.b ||" }),
    step("b", { input: "${ nothing.here }" }),
    step("1", { after: ["y"] }),
  ];
  expect(problemPaths(steps, { output: "${" })).toEqual([
    "TEMPLATE_UNCLOSED output",
    "EXPRESSION_SYNTAX steps[1].when",
    "UNKNOWN_ROOT steps[2].input",
    "STEP_ID_INVALID steps[3].id",
    "UNKNOWN_DEPENDENCY steps[0].dependsOn[1]",
    "READ_TOO_EARLY steps[0].input",
    "DUPLICATE_STEP steps[2].id",
    "UNKNOWN_DEPENDENCY steps[3].dependsOn[0]",
    "DEPENDENCY_CYCLE steps[0].dependsOn[0]",
  ]);
});

it("GRAPH-5 a disabled step is checked for shape and id only; a cycle through it is still one", () => {
  const off = { enabled: false };
  expect(
    problemPaths(
      [
        step("a", { ...off, after: ["nowhere"], input: "${ steps.nobody.output }", fallback: stepId("no") }),
        step("b", { ...off, resources: { gold: 3 }, secrets: ["none"], input: "${ steps.c.output }" }),
        step("c"),
        step("m", { ...off, ...map([step("i", { input: "${ steps.c.output }" })]) }),
      ],
      { resources: { silver: { kind: "capacity", capacity: 1 } }, secrets: ["some"] },
    ),
  ).toEqual([]);
  expect(problemPaths([step("1", off), step("1", off)])).toEqual([
    "STEP_ID_INVALID steps[0].id",
    "STEP_ID_INVALID steps[1].id",
    "DUPLICATE_STEP steps[1].id",
  ]);
  expect(problemPaths([step("a", { ...off, after: ["b"] }), step("b", { after: ["a"] })])).toEqual([
    "DEPENDENCY_CYCLE steps[0].dependsOn[0]",
  ]);
});

it("GRAPH-8 a chain of 100,000 steps compiles", () => {
  const steps = Array.from({ length: 100_000 }, (_, index) =>
    step(`s${index}`, index === 0 ? {} : { after: [`s${index - 1}`] }),
  );
  expect(compileOrThrow(workflow(steps)).order.steps).toHaveLength(100_000);
});

it("CONTRACT-1 a definition that cannot be compiled is a fault that names its first problem", () => {
  expect(() => compileOrThrow(workflow([step("a", { after: ["x"] })]))).toThrow(
    expect.objectContaining({
      code: "DEFINITION_INVALID",
      message: "steps[0].dependsOn[0]: `a` depends on `x`, which is not a step of this workflow",
    }),
  );
});

describe("fallbacks", () => {
  const primary = (rest: Rest = {}): StepDefinition => step("p", { fallback: stepId("f"), ...rest });

  it("STATE-8 a fallback exists, has no dependencies, one primary and no dependants", () => {
    expect(problems([primary(), step("f")])).toEqual([]);
    expect(problems([step("p", { fallback: stepId("fal") }), step("fall")])).toEqual([
      "UNKNOWN_FALLBACK steps[0].fallback: the fallback `fal` is not a step of this workflow => did you mean `fall`?",
    ]);
    expect(problems([primary(), step("q", { fallback: stepId("f") }), step("f")])).toEqual([
      "FALLBACK_SHARED steps[1].fallback: `f` is already the fallback of `p` => a fallback belongs to one step only; copy it under another id",
    ]);
    expect(problems([step("a"), primary(), step("f", { after: ["a"] })])).toEqual([
      "FALLBACK_DEPENDS steps[2].dependsOn: `f` is a fallback and starts when `p` fails; it cannot wait for other steps too => remove its `dependsOn`; it can read the same values as its primary",
    ]);
    expect(problems([primary(), step("f"), step("z", { after: ["f"] })])).toEqual([
      "FALLBACK_NEEDED steps[2].dependsOn[0]: `f` is the fallback of `p` and has no dependants of its own => depend on `p`: if the fallback ran, its output is the fallback's output",
    ]);
  });

  it("STATE-8 fallbacks in a circle are a cycle, also if a step reads them", () => {
    const round = [step("a", { fallback: stepId("b") }), step("b", { fallback: stepId("a") })];
    expect(problemPaths([...round, step("r", { after: ["a"], input: READS_A })])).toEqual([
      "FALLBACK_NEEDED steps[2].dependsOn[0]",
      "DEPENDENCY_CYCLE steps[0]",
    ]);
    expect(problemPaths([step("a", { fallback: stepId("a") })])).toEqual(["DEPENDENCY_CYCLE steps[0]"]);
  });

  it("CONTRACT-11 a fallback reads what its primary reads, and its primary; dependants of the primary read it", () => {
    const steps = [
      step("a"),
      primary({ after: ["a"], input: READS_A }),
      step("f", { input: ["${ steps.p.error }", READS_A] }),
      step("z", { after: ["p"], input: ["${ steps.f.output }", READS_A] }),
    ];
    expect(problems(steps)).toEqual([]);
    expect(problemPaths([primary({ input: "${ steps.f.output }" }), step("f")])).toEqual([
      "READ_TOO_EARLY steps[0].input",
    ]);
  });
});

describe("resources and secrets that a step uses", () => {
  const resources = {
    staging: { kind: "capacity", capacity: 2 },
    github: { kind: "quota", rate: 30, per: 1000 },
  };

  it("SCHED-4 a resource exists and is large enough, also for a step inside a map", () => {
    expect(problems([step("a", { resources: { staging: 2, github: 30 } })], { resources })).toEqual([]);
    expect(problems([step("a", { resources: { stagin: 1, x: 1, staging: 3 } })], { resources })).toEqual([
      "UNKNOWN_RESOURCE steps[0].resources.stagin: the workflow has no resource `stagin` => did you mean `staging`?",
      "UNKNOWN_RESOURCE steps[0].resources.x: the workflow has no resource `x`",
      "RESOURCE_TOO_LARGE steps[0].resources.staging: `a` requires 3 of `staging`, but the limit is 2: it would wait forever",
    ]);
    expect(problemPaths([step("m", map([step("i", { resources: { github: 31 } })]))], { resources })).toEqual([
      "RESOURCE_TOO_LARGE steps[0].action.steps[0].resources.github",
    ]);
    // A name from a prototype is not a resource.
    expect(problemPaths([step("a", { resources: { toString: 1 } })], { resources })).toEqual([
      "UNKNOWN_RESOURCE steps[0].resources.toString",
    ]);
  });

  it("DATA-1 a secret that a step names is declared by the workflow, where that declares any", () => {
    expect(problems([step("a", { secrets: ["anything"] })])).toEqual([]);
    expect(problems([step("a", { secrets: ["tokn", "zzzzzz"] })], { secrets: ["token"] })).toEqual([
      "UNKNOWN_SECRET steps[0].secrets[0]: the workflow does not declare the secret `tokn` => did you mean `token`?",
      "UNKNOWN_SECRET steps[0].secrets[1]: the workflow does not declare the secret `zzzzzz` => add it to the workflow's `secrets`",
    ]);
    expect(problemPaths([step("m", map([step("i", { secrets: ["x"] })]))], { secrets: ["token"] })).toEqual([
      "UNKNOWN_SECRET steps[0].action.steps[0].secrets[0]",
    ]);
    const undo = { action: { kind: "agent", agent: "undo" }, secrets: ["token", "x"] } as const;
    expect(problemPaths([step("a", { compensate: undo })], { secrets: ["token"] })).toEqual([
      "UNKNOWN_SECRET steps[0].compensate.secrets[1]",
    ]);
  });
});
