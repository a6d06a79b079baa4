// Which other steps and variables an expression may read.

import { expect, it } from "vitest";
import type { StepDefinition, Template } from "../model/definition.ts";
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
import { compileExpansion } from "./compile.ts";

it("CONTRACT-11 a step that ended before, over any number of edges; otherwise the line to add is shown", () => {
  const chain = [step("a"), step("b", { after: ["a"] }), step("c", { after: ["b"], input: READS_A })];
  expect(problems(chain)).toEqual([]);
  expect(problems([step("a"), step("b", { after: ["~c"], input: READS_A }), step("c")])).toEqual([
    "READ_TOO_EARLY steps[1].input: `steps.a.output` reads `steps.a`, but no dependency makes it end before this step starts => add to `b`: dependsOn: [{ step: c, on: settled }, { step: a, on: settled }]",
  ]);
  expect(problems([step("a", { when: "steps.a.status == 'failed'" })])).toEqual([
    "READ_TOO_EARLY steps[0].when: `steps.a.status == 'failed'` reads its own step, which has no result yet",
  ]);
});

it("CONTRACT-11 the dependencies of a step that only has to be settled do not count: that step may have been skipped early", () => {
  const skipped = [step("a"), step("b"), step("c", { after: ["a", "b"] })];
  expect(problemPaths([...skipped, step("d", { after: ["~c"], input: READS_A })])).toEqual([
    "READ_TOO_EARLY steps[3].input",
  ]);
  expect(problemPaths([...skipped, step("d", { after: ["~c", "~a"], input: READS_A })])).toEqual([]);
});

it("CONTRACT-11 a path through a disabled step does not count, but the disabled step itself may be read", () => {
  const off = [step("a"), step("b", { after: ["a"], enabled: false })];
  expect(problemPaths([...off, step("c", { after: ["b"], input: "${ steps.b.output }" })])).toEqual([]);
  expect(problemPaths([...off, step("c", { after: ["b"], input: READS_A })])).toEqual([
    "READ_TOO_EARLY steps[2].input",
  ]);
  expect(problemPaths([...off, step("c", { after: ["b", "a"], input: READS_A })])).toEqual([]);
});

it("CONTRACT-11 a variable needs every writer of it before the reader", () => {
  const write = (id: string, to: string, rest: Rest = {}): StepDefinition => step(id, { output: { to }, ...rest });
  const read = (source: string, after: readonly string[]): StepDefinition =>
    step("r", { after, input: `\${ ${source} }` });
  const behind = write("b", "variables.x", { after: ["a"] });
  expect(problems([write("a", "variables.x"), behind, read("variables.x", ["a"])])).toEqual([
    "READ_TOO_EARLY steps[2].input: `variables.x` reads `variables.x`, which `b` writes, but no dependency makes that step end before this step starts => add to `r`: dependsOn: [a, b]",
  ]);
  expect(problems([write("a", "variables.x"), write("b", "variables.y"), read("variables.x", ["a"])])).toEqual([]);
  // Ancestors and descendants of the read path are read too.
  for (const source of ["variables", "variables.x", "variables.x.y", "variables.x.y.z", "@", "keys(variables)"])
    expect(problemPaths([write("a", "variables.x.y"), read(source, [])])).toEqual(["READ_TOO_EARLY steps[1].input"]);
  expect(
    problemPaths([write("a", "variables.x.y"), write("b", "variables.x.z"), read("variables.x.z", ["b"])]),
  ).toEqual([]);
  expect(problemPaths([write("a", "variables.x", { enabled: false }), read("variables.x", [])])).toEqual([]);
  expect(problemPaths([write("r", "variables.x", { input: "${ variables.x }" })])).toEqual([]);
});

it("DATA-4 a private write is seen by its own step only, so no step has to wait for it", () => {
  const own = step("a", { output: { to: "variables.x.y" }, private: ["variables.x"] });
  expect(problems([own, step("r", { input: "${ variables.x }" })])).toEqual([]);
  expect(problems([step("a", { private: ["x", "variables.1"] })])).toEqual([
    "VARIABLE_PATH_INVALID steps[0].private[0]: `x` is not a path of variables => write it as `variables.name` or `variables.group.name`",
    "VARIABLE_PATH_INVALID steps[0].private[1]: `variables.1` is not a path of variables => write it as `variables.name` or `variables.group.name`",
  ]);
});

it("CONTRACT-11 a compensation may read its own step, and otherwise the same data as its step", () => {
  const undo = (input: Template): Rest => ({ compensate: { action: { kind: "run", script: "undo" }, input } });
  expect(problems([step("a", undo(READS_A))])).toEqual([]);
  expect(problems([step("a", { ...undo("${ variables.x }"), output: { to: "variables.x" } })])).toEqual([]);
  expect(problemPaths([step("a"), step("b", undo(READS_A))])).toEqual(["READ_TOO_EARLY steps[1].compensate.input"]);
});

it("CONTRACT-11 a workflow's output may read every step and every variable", () => {
  const steps = [step("a", { output: { to: "variables.x" } }), step("b", { fallback: stepId("f") }), step("f")];
  const output = ["${ steps.a.output }", "${ steps.f.output }", "${ variables.x }", "${ steps }", "${ input }"];
  expect(problems(steps, { output })).toEqual([]);
  expect(problems(steps, { output: "${ steps.aa.output }" })).toEqual([
    "UNKNOWN_STEP output: `steps.aa.output` reads `steps.aa`, which is not a step of this workflow => did you mean `steps.a`?",
  ]);
});

it("CONTRACT-11 a step inside a map reads the steps before the map, and its own siblings", () => {
  const inside = (source: string): StepDefinition[] => [
    step("i", { input: `\${ ${source} }` }),
    step("j", { after: ["i"], input: "${ steps.i.output }" }),
  ];
  expect(problems([step("a"), step("m", { ...map(inside("steps.a.output")), after: ["a"] })])).toEqual([]);
  expect(problems([step("a"), step("m", map(inside("steps.a.output")))])).toEqual([
    "READ_TOO_EARLY steps[1].action.steps[0].input: `steps.a.output` reads `steps.a`, but no dependency makes it end before this step starts => add to `m`: dependsOn: [a]",
  ]);
  expect(problemPaths([step("m", map(inside("steps.j.output")))])).toEqual([
    "READ_TOO_EARLY steps[0].action.steps[0].input",
  ]);
  expect(problemPaths([step("m", map(inside("steps.m.output")))])).toEqual([
    "READ_TOO_EARLY steps[0].action.steps[0].input",
  ]);
  const written = step("a", { output: { to: "variables.x" } });
  expect(problemPaths([written, step("m", map(inside("variables.x")))])).toEqual([
    "READ_TOO_EARLY steps[1].action.steps[0].input",
  ]);
  // A sibling hides a step outside that has the same id.
  expect(problemPaths([step("i"), step("m", map(inside("steps.j.output")))])).toEqual([
    "READ_TOO_EARLY steps[1].action.steps[0].input",
  ]);
});

it("CONTRACT-11 a map that is a fallback is not before its own children", () => {
  const child = step("i", { input: "${ steps.f.output }" });
  expect(problemPaths([step("p", { fallback: stepId("f") }), step("f", map([child]))])).toEqual([
    "READ_TOO_EARLY steps[1].action.steps[0].input",
  ]);
});

it("STATE-9 steps made at run time are compiled without their scope", () => {
  const outer = workflow([step("a")], { strict: true });
  const good = compileExpansion(outer, [step("d", { input: ["${ steps.a.output }", "${ item }"] })], {
    inMap: true,
    inRepeat: false,
  });
  expect(good.kind === "program" && good.program.strict).toBe(true);
  expect(compileExpansion(outer, [step("d", { input: "${ item }" })], { inMap: false, inRepeat: false })).toMatchObject(
    {
      kind: "problems",
      problems: [{ code: "ROOT_NOT_HERE" }],
    },
  );
});

it("CONTRACT-11 an id with a hyphen and without quotes is shown with quotes, and no other problem is reported", () => {
  const hint = 'an id with a hyphen is quoted: `steps."build-a".output`';
  const read = step("r", { after: ["build-a"], input: "${ steps.build-a.output }" });
  expect(problems([step("build-a"), read])).toEqual([
    `UNKNOWN_STEP steps[1].input: \`steps.build-a.output\` reads a step whose id has a hyphen as a subtraction => ${hint}`,
  ]);
  expect(problems([step("build-a"), step("r", { after: ["build-a"], input: '${ steps."build-a".output }' })])).toEqual(
    [],
  );
  const numbered = step("r", { after: ["build-1"], when: "steps.build-1.output" });
  expect(problems([step("build-1"), numbered])).toEqual([
    expect.stringMatching(
      /^EXPRESSION_SYNTAX steps\[1\]\.when: .* => an id with a hyphen is quoted: `steps\."build-1"\.output`$/u,
    ),
  ]);
});
