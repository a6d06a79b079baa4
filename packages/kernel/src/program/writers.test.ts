// Several writers of one variable (ruling 51): which steps may write without an order, and which writers a reader waits for.

import { describe, expect, it } from "vitest";
import type { MergeMode, StepDefinition } from "../model/definition.ts";
import { stepId } from "../model/units.ts";
import { map, problemPaths, problems, step, workflow, type Rest } from "../../test/properties/written-steps.ts";
import { compileOrThrow } from "./compile.ts";

function write(id: string, to: string, merge: MergeMode = "replace", rest: Rest = {}): StepDefinition {
  return step(id, { output: { to: `variables.${to}`, merge }, ...rest });
}

/** Reads the variable and writes it. */
function change(id: string, after: readonly string[], name = "x"): StepDefinition {
  return write(id, name, "replace", { after, input: `\${ variables.${name} }` });
}

describe("CONTRACT-11 DATA-3 writers of one variable without an order", () => {
  it.each<[one: MergeMode, other: MergeMode]>([
    ["replace", "replace"],
    ["replace", "append"],
    ["replace", "merge"],
    ["append", "merge"],
  ])("are refused if one does %s and the other %s, in either order", (one, other) => {
    const message =
      "WRITES_UNORDERED steps[1].output.to: `b` writes `variables.x`, `a` writes it too, and no dependency defines which comes first => add to `b`: dependsOn: [a]";
    expect(problems([write("a", "x", one), write("b", "x", other)])).toEqual([message]);
    expect(problems([write("a", "x", other), write("b", "x", one)])).toEqual([message]);
    expect(problems([write("a", "x", one), write("b", "x", other, { after: ["a"] })])).toEqual([]);
    expect(problems([write("a", "x", one, { after: ["b"] }), write("b", "x", other)])).toEqual([]);
  });

  it.each<[MergeMode]>([["append"], ["merge"]])("are accepted where all of them %s", (merge) => {
    const first = write("first", "x");
    const all = ["a", "b", "c"].map((id) => write(id, "x", merge, { after: ["first"] }));
    expect(problems([first, ...all, step("r", { after: ["a", "b", "c"], input: "${ variables.x }" })])).toEqual([]);
    expect(problemPaths([first, ...all, step("r", { after: ["a", "b"], input: "${ variables.x }" })])).toEqual([
      "READ_TOO_EARLY steps[4].input",
    ]);
    expect(problemPaths([first, ...all, write("last", "x", "replace", { after: ["a", "b"] })])).toEqual([
      "WRITES_UNORDERED steps[4].output.to",
    ]);
  });

  it("are refused where one writes beneath the other, unless both merge", () => {
    for (const merge of ["replace", "append"] as const)
      expect(problems([write("a", "x.y", merge), write("b", "x", merge)])).toEqual([
        "WRITES_UNORDERED steps[1].output.to: `b` writes `variables.x`, `a` writes `variables.x.y`, and no dependency defines which comes first => add to `b`: dependsOn: [a]",
      ]);
    expect(problems([write("a", "x.y", "merge"), write("b", "x", "merge")])).toEqual([]);
    expect(problems([write("a", "x.y"), write("b", "x.z")])).toEqual([]);
  });

  it("do not count where one of them is disabled, private, or the fallback of the other", () => {
    expect(problems([write("a", "x"), write("b", "x", "replace", { enabled: false })])).toEqual([]);
    expect(problems([write("a", "x"), write("b", "x", "replace", { private: ["variables.x"] })])).toEqual([]);
    expect(problems([write("a", "x", "replace", { fallback: stepId("b") }), write("b", "x")])).toEqual([]);
  });

  it("are named up to eight, and a fallback by its primary in the line to add", () => {
    const many = Array.from({ length: 20 }, (_, index) => write(`w${index}`, "x", "append"));
    const [problem, ...others] = problems([...many, write("last", "x")]);
    expect(problem).toMatch(/`w0`, .*`w7` and others write it too, .* => add to `last`: dependsOn: \[w0, .*w7, …\]$/u);
    expect(others).toEqual([]);
    const primary = step("p", { fallback: stepId("f") });
    expect(problems([primary, write("f", "x"), write("b", "x")])[0]).toContain("=> add to `p`: dependsOn: [b]");
    const late = [step("q"), step("r", { after: ["q"] }), write("b", "x", "replace", { after: ["r"] })];
    expect(problems([primary, write("f", "x"), ...late])[0]).toContain("=> add to `b`: dependsOn: [r, p]");
  });
});

describe("CONTRACT-11 DATA-10 a reader of a variable", () => {
  it("may write it as well: later writers do not count for it", () => {
    const chain = [change("a", []), change("b", ["a"]), change("c", ["b"]), change("d", ["c"])];
    expect(problems(chain)).toEqual([]);
    expect(problems(chain.toReversed())).toEqual([]);
  });

  it("that only reads it does not wait for later writers either, also through a map", () => {
    const read: Rest = { after: ["a"], input: "${ variables.x }" };
    const later = write("b", "x", "replace", { after: ["r"] });
    expect(problems([write("a", "x"), step("r", read), later])).toEqual([]);
    const inside = map([step("i", { input: "${ variables.x }" })]);
    expect(problems([write("a", "x"), step("r", { ...inside, after: ["a"] }), later])).toEqual([]);
  });

  it("needs every writer that has no order with it, and is shown a line that makes no cycle", () => {
    const read = step("r", { input: "${ variables.x }" });
    // A step that only has to be settled may have been skipped early, so `w` does not always come after `r`.
    const between = [read, step("m", { after: ["r"] }), write("w", "x", "replace", { after: ["~m"] })];
    expect(problems(between)).toEqual([
      "READ_TOO_EARLY steps[0].input: `variables.x` reads `variables.x`, which `w` writes, but no dependency makes that step end before this step starts => add to `w`: dependsOn: [{ step: m, on: settled }, { step: r, on: settled }]",
    ]);
    const off = [read, step("m", { after: ["r"], enabled: false }), write("w", "x", "replace", { after: ["m"] })];
    expect(problems(off)[0]).toContain("=> add to `w`: dependsOn: [m, r]");
    expect(problems([write("w", "x", "replace", { after: ["q"] }), read, step("q")])[0]).toContain(
      "=> add to `r`: dependsOn: [w]",
    );
  });

  it("of a step that waits for the reader is reported, without advice to wait for that step", () => {
    expect(problems([step("a", { input: "${ steps.b.output }" }), step("b", { after: ["a"] })])).toEqual([
      "READ_TOO_EARLY steps[0].input: `steps.b.output` reads `steps.b`, but no dependency makes it end before this step starts => `b` comes after `a`; read it in a step that comes after both",
    ]);
  });
});

it("DATA-10 STATE-8 a fallback writes the variables of its primary", () => {
  const steps = [
    write("p", "x", "replace", { fallback: stepId("f") }),
    write("next", "x", "replace", { after: ["p"] }),
    write("f", "x"),
  ];
  const { writers } = compileOrThrow(workflow(steps));
  expect(writers.map((writer) => steps[writer.step]!.id)).toEqual(["p", "f", "next"]);
});
