// Validation finds all problems, in a fixed order.

import { SegnoError } from "@segno/kernel";
import { validateWorkflowDefinition, ValidationError, type PlannerProblem, type WorkflowStep } from "@segno/planner";
import { describe, expect, it } from "vitest";
import { definition, graph, outline, plan, listProblems, reasons, step, stepId } from "../fixture.ts";

const problemsFor = (steps: readonly WorkflowStep[]): readonly PlannerProblem[] =>
  listProblems(() => validateWorkflowDefinition(definition(), steps));
const conditional = { stepType: "conditional" } as const;

describe("validation", () => {
  it("PLAN-17 accepts a valid workflow and gives nothing back", () => {
    expect(validateWorkflowDefinition(definition(), graph("a b(a) c(a,b) lone"))).toBeUndefined();
  });

  it("PLAN-17 throws one error: a ValidationError with the code VALIDATION_ERROR and its problems", () => {
    try {
      validateWorkflowDefinition(definition(), graph("a(a)"));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      expect(error).toBeInstanceOf(SegnoError);
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", name: "ValidationError" });
      expect((error as ValidationError).message).toContain((error as ValidationError).problems[0]!.message);
    }
  });

  it("PLAN-17 every problem has a reason, a path and a message", () => {
    const reason = expect.stringMatching(/^[a-z]+(?:-[a-z]+)*$/u);
    for (const problem of problemsFor([
      step("a", { ...conditional, after: ["gone"] }),
      step("a"),
      step("b", { after: ["b"] }),
    ]))
      expect(problem).toEqual({ reason, path: expect.any(String), message: expect.stringMatching(/./u) });
  });

  it("PLAN-17 GRAPH-7 refuses a duplicate step id, each time it comes again", () => {
    expect(reasons(problemsFor([step("a"), step("a"), step("b"), step("a")]))).toEqual([
      "duplicate-step",
      "duplicate-step",
    ]);
  });

  it("PLAN-17 GRAPH-7 accepts duplicate names", () => {
    const steps = [step("a", { stepName: "same" }), step("b", { stepName: "same", after: ["a"] })];
    expect(() => validateWorkflowDefinition(definition(), steps)).not.toThrow();
  });

  it("PLAN-17 refuses a dependency on a step that does not exist, and names both", () => {
    const problems = problemsFor([step("a", { stepName: "collect", after: ["gone"] })]);
    expect(reasons(problems)).toEqual(["unknown-dependency"]);
    expect(problems[0]!.message).toContain("collect");
    expect(problems[0]!.message).toContain(stepId("gone"));
  });

  it("PLAN-6 refuses a conditional step", () => {
    const problems = problemsFor([step("a"), step("b", conditional)]);
    expect(reasons(problems)).toEqual(["conditional-step"]);
    expect(problems[0]!.path).toContain("1");
  });

  it("PLAN-17 GRAPH-4 does not mind steps without a path to any other", () => {
    expect(() => validateWorkflowDefinition(definition(), graph("a b(a) lone"))).not.toThrow();
  });
});

describe("cycles", () => {
  it("PLAN-17 GRAPH-1 a step that depends on itself is one", () => {
    expect(reasons(problemsFor(graph("a(a)")))).toEqual(["cycle"]);
  });

  it("PLAN-17 GRAPH-1 are told as a path from the step declared first", () => {
    expect(problemsFor(graph("x a(c) b(a) c(b)"))[0]!.message).toMatch(/a -> (?:b -> c|c -> b) -> a/u);
  });

  it("PLAN-17 GRAPH-1 are each told, one for each knot", () => {
    expect(reasons(problemsFor(graph("a(b) b(a) c d(e) e(d) f(f)")))).toEqual(["cycle", "cycle", "cycle"]);
  });

  it("PLAN-17 GRAPH-1 do not include steps that only wait for one", () => {
    const problems = problemsFor(graph("w(a) a(b) b(a)"));
    expect(reasons(problems)).toEqual(["cycle"]);
    expect(problems[0]!.message).not.toContain("w");
  });

  it("PLAN-17 GRAPH-1 are found where there are other problems too", () => {
    expect(reasons(problemsFor(graph("a(b,gone) b(a)")))).toEqual(["unknown-dependency", "cycle"]);
  });
});

describe("the order of problems", () => {
  const steps = [...graph("a(b) b(a) c(gone)"), step("d", conditional), ...graph("e(lost)"), step("f", conditional)];

  it("PLAN-17 GRAPH-6 is structural, then dependencies, then cycles, each in declaration order", () => {
    const problems = problemsFor(steps);
    expect(reasons(problems)).toEqual([
      "conditional-step",
      "conditional-step",
      "unknown-dependency",
      "unknown-dependency",
      "cycle",
    ]);
    expect(
      problems.slice(2, 4).map(({ message }) => [stepId("gone"), stepId("lost")].find((id) => message.includes(id))),
    ).toEqual([stepId("gone"), stepId("lost")]);
    expect(problems[0]!.path < problems[1]!.path).toBe(true);
  });

  it("PLAN-17 GRAPH-6 puts duplicates before cycles", () => {
    expect(reasons(problemsFor([...graph("a(b) b(a)"), step("c"), step("c")]))).toEqual(["duplicate-step", "cycle"]);
  });

  it("PLAN-17 GRAPH-6 is the same each time", () => {
    expect(problemsFor(steps)).toEqual(problemsFor(steps));
  });
});

describe("validation and execution", () => {
  it("PLAN-17 are separate: executing looks for no cycles, unknown dependencies or types", async () => {
    const result = await plan(graph("a b(c) c(b) d(gone)"));
    expect(outline(result)).toMatchObject({ status: "failed", completed: ["a"] });
  });

  it("PLAN-17 PLAN-18 neither changes what it looks at", () => {
    const steps = graph("a(b) b(a)");
    const before = JSON.stringify(steps);
    problemsFor(steps);
    expect(JSON.stringify(steps)).toBe(before);
  });
});
