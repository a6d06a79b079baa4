// Captures, maps, and the parts of a program.

import { describe, expect, it } from "vitest";
import { deepFreeze } from "../data/deep-freeze.ts";
import { stepId } from "../model/units.ts";
import { map, problemPaths, problems, READS_A, step, workflow } from "../../test/properties/written-steps.ts";
import { compileDefinition, compileExpansion, compileOrThrow } from "./compile.ts";

describe("captures and variables", () => {
  it("DATA-3 an output goes to a path under variables", () => {
    for (const to of ["x", "variables", "variables.", "variables.1", "variables.a..b", "variables.__proto__"])
      expect(problems([step("a", { output: { to } })])).toEqual([
        `VARIABLE_PATH_INVALID steps[0].output.to: \`${to}\` is not a variable that can be written => write it as \`variables.name\``,
      ]);
    expect(problems([step("a", { output: { to: "variables.a-b.c", select: "length(@)" } })])).toEqual([]);
    expect(problemPaths([step("a", { output: { select: "length(" } })])).toEqual([
      "EXPRESSION_SYNTAX steps[0].output.select",
    ]);
  });

  it("DATA-4 a read-only path refuses writes to it, below it or above it", () => {
    const at = (to: string, merge?: "merge" | "append"): string[] =>
      problems([step("a", { output: { to, ...(merge === undefined ? {} : { merge }) } })], {
        readOnly: ["variables.limits.cpu"],
      });
    expect(at("variables.limits.cpu")).toEqual([
      "VARIABLE_READ_ONLY steps[0].output.to: `variables.limits.cpu` is read-only, so nothing can be written to `variables.limits.cpu`",
    ]);
    for (const to of ["variables.limits.cpu.max", "variables.limits"]) expect(at(to)).toHaveLength(1);
    expect(at("variables.limits", "append")).toHaveLength(1);
    // A merge may leave it unchanged; that is known only at run time.
    expect(at("variables.limits", "merge")).toEqual([]);
    expect(at("variables.limits.memory")).toEqual([]);
    expect(problems([], { readOnly: ["limits"] })).toEqual([
      "VARIABLE_PATH_INVALID readOnly[0]: `limits` is not a path of variables => write it as `variables.name` or `variables.group.name`",
    ]);
  });

  it("DATA-10 a step inside a map does not write variables", () => {
    const inside = step("i", { output: { to: "variables.x" } });
    expect(problems([step("m", map([inside]))])).toEqual([
      "CAPTURE_IN_SCOPE steps[0].action.steps[0].output.to: a step inside a map or another scope cannot write variables => use the output of the scope, which is the list of the outputs of its children",
    ]);
    expect(compileExpansion(workflow([]), [inside], { inMap: false, inRepeat: false })).toMatchObject({
      problems: [{ code: "CAPTURE_IN_SCOPE", path: ["steps", 0, "output", "to"] }],
    });
  });
});

describe("maps, waits and approvals", () => {
  it("BEYOND-1 the result of a map is one of its own steps; the last one if it is not named", () => {
    expect(problems([step("m", map([step("i")], { result: stepId("j") }))])).toEqual([
      "UNKNOWN_RESULT steps[0].action.result: `j` is not a step of this map",
    ]);
    const work = compileOrThrow(workflow([step("m", map([step("i"), step("j")]))])).steps[0]!.work;
    expect(work.kind === "items" && work.result).toBe(1);
  });

  it("CONTRACT-3 problems inside a map have their own paths, in their own order", () => {
    const inner = [step("i", { after: ["x"] }), step("j", { when: "(" }), step("k", map([step("l", { input: "${" })]))];
    expect(problemPaths([step("a"), step("m", map(inner))])).toEqual([
      "EXPRESSION_SYNTAX steps[1].action.steps[1].when",
      "TEMPLATE_UNCLOSED steps[1].action.steps[2].action.steps[0].input",
      "UNKNOWN_DEPENDENCY steps[1].action.steps[0].dependsOn[0]",
    ]);
  });

  it("DATA-1 the templates of waits, approvals and environments are checked like any other", () => {
    const wrong = "${ nosuch.x }";
    expect(
      problemPaths([
        step("a", { action: { kind: "wait", on: "time", until: wrong } }),
        step("b", { action: { kind: "approve", message: wrong } }),
        step("c", { action: { kind: "map", over: "nosuch", steps: [step("i")] } }),
        step("d", { env: { A: wrong } }),
      ]),
    ).toEqual([
      "UNKNOWN_ROOT steps[0].action.until",
      "UNKNOWN_ROOT steps[1].action.message",
      "UNKNOWN_ROOT steps[2].action.over",
      "UNKNOWN_ROOT steps[3].env.A",
    ]);
  });
});

describe("a compiled program", () => {
  it("CONTRACT-10 compiling does not change its input", () => {
    const definition = workflow([
      step("a", { input: { x: [READS_A.replace("a.", "b."), 1] }, after: ["b"] }),
      step("b"),
    ]);
    const before = JSON.stringify(definition);
    const frozen = deepFreeze(definition);
    expect(compileDefinition(frozen).kind).toBe("program");
    expect(JSON.stringify(frozen)).toBe(before);
  });

  it("DATA-10 variables are written in plan order, whatever the order of declaration", () => {
    const late = step("late", { after: ["early"], output: { to: "variables.x" } });
    const early = step("early", { output: { to: "variables.x", merge: "append" } });
    const { writers } = compileOrThrow(workflow([late, early]));
    expect(writers.map((writer) => writer.step)).toEqual([1, 0]);
  });

  it("FAIL-3 policies are filled in with the defaults", () => {
    const { steps } = compileOrThrow(workflow([step("a"), step("b", { retry: { attempts: 5 } })]));
    expect(steps.map(({ retry }) => [retry.attempts, retry.base, retry.factor, retry.max, retry.jitter])).toEqual([
      [3, 1000, 2, 30_000, "none"],
      [5, 1000, 2, 30_000, "none"],
    ]);
  });

  it("STATE-8 the fallback of a disabled step is disabled with it", () => {
    const { graph, steps } = compileOrThrow(
      workflow([step("p", { enabled: false, fallback: stepId("f") }), step("f"), step("q", { after: ["p"] })]),
    );
    expect([...graph.disabled]).toEqual([1, 1, 0]);
    expect(steps.map(({ fallback, primary }) => [fallback, primary])).toEqual([
      [1, -1],
      [-1, 0],
      [-1, -1],
    ]);
  });

  it("STATE-6 a step with a settled edge cleans up, and so does its fallback", () => {
    const { steps } = compileOrThrow(
      workflow([
        step("a"),
        step("b", { after: ["~a"], fallback: stepId("f") }),
        step("f"),
        step("c", { after: ["a"] }),
      ]),
    );
    expect(steps.map(({ isCleanUp }) => isCleanUp)).toEqual([false, true, true, false]);
  });
});
