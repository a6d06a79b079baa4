// The effect of a failure on the rest of the workflow.

import { describe, expect, it } from "vitest";
import { definition, failing, graph, outline, plan, step, stepId, type Written } from "../fixture.ts";

async function planAfterFailure(first: Written, options: Parameters<typeof plan>[1] = {}) {
  return outline(await plan([step("a", first), step("b")], { payloadFor: failing("a"), ...options }));
}

const STOPPED = { status: "failed", completed: [], failed: ["a"], skipped: ["b"] };
const WENT_ON = { status: "failed", completed: ["b"], failed: ["a"], skipped: [] };

describe("who decides after a failure", () => {
  it("PLAN-8 a step that sets nothing stops the workflow", async () => {
    expect(await planAfterFailure({})).toEqual(STOPPED);
  });

  it("PLAN-8 the failure strategy decides where the step sets nothing", async () => {
    expect(await planAfterFailure({}, { failureStrategy: "fail_fast" })).toEqual(STOPPED);
    expect(await planAfterFailure({}, { failureStrategy: "continue_on_error" })).toEqual(WENT_ON);
  });

  it("PLAN-8 the step's errorAction beats the failure strategy, both ways", async () => {
    expect(await planAfterFailure({ errorAction: "stop" }, { failureStrategy: "continue_on_error" })).toEqual(STOPPED);
    expect(await planAfterFailure({ errorAction: "continue" }, { failureStrategy: "fail_fast" })).toEqual(WENT_ON);
  });

  it.each(["retry", "compensate"] as const)(
    "PLAN-8 errorAction %s goes on, and does nothing else",
    async (errorAction) => {
      expect(await planAfterFailure({ errorAction }, { failureStrategy: "fail_fast" })).toEqual(WENT_ON);
    },
  );

  it("PLAN-8 continueOnError is advisory: it overrides neither errorAction nor the default", async () => {
    expect(await planAfterFailure({ errorAction: "stop", continueOnError: true })).toEqual(STOPPED);
    expect(await planAfterFailure({ continueOnError: true })).toEqual(STOPPED);
    expect(await planAfterFailure({ errorAction: "continue", continueOnError: false })).toEqual(WENT_ON);
    expect(await planAfterFailure({ continueOnError: true }, { failureStrategy: "fail_fast" })).toEqual(STOPPED);
  });

  it.each(["RETRY", "ROLLBACK", "COMPENSATE", "ABORT"] as const)(
    "PLAN-8 the recovery strategy %s of the coordination rules is inert",
    async (failureRecoveryStrategy) => {
      const rules = { coordinationRules: { version: { major: 1, minor: 0, patch: 0 }, failureRecoveryStrategy } };
      const of = definition({}, rules);
      const steps = [step("a", { errorAction: "continue" }), step("b"), step("c"), step("d")];
      const result = await plan(steps, { payloadFor: failing("a", "c") }, of);
      expect(outline(result)).toEqual({ status: "failed", completed: ["b"], failed: ["a", "c"], skipped: ["d"] });
    },
  );

  it("PLAN-8 retryCount makes no retries and no further actions", async () => {
    const asked: string[] = [];
    const payloadFor = ({ stepName }: { readonly stepName: string }): object => {
      asked.push(stepName);
      throw new Error("never");
    };
    const result = await plan([step("a", { retryCount: 10, errorAction: "retry" })], { payloadFor });
    expect(asked).toEqual(["a"]);
    expect(result.actionsEmitted).toEqual([]);
  });

  it("PLAN-8 any failed step makes the result failed, also when the workflow went on", async () => {
    const steps = [step("a"), step("b", { errorAction: "continue" }), step("c")];
    expect((await plan(steps, { payloadFor: failing("b") })).executionStatus).toBe("failed");
  });
});

describe("a stop", () => {
  it("PLAN-11 skips what is left of the wave, and all later waves; what was completed stays", async () => {
    const steps = graph("a b c d(a) e(c)");
    const result = await plan(steps, { payloadFor: failing("b"), executionMode: "parallel" });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b"], skipped: ["c", "d", "e"] });
    expect(result.actionsEmitted).toHaveLength(1);
  });

  it("PLAN-11 skips the failed step's dependants too: they were not processed", async () => {
    expect(outline(await plan(graph("a b(a)"), { payloadFor: failing("a") }))).toEqual(STOPPED);
  });

  it("PLAN-11 skips what was passed over for an unmet dependency before it", async () => {
    const steps = [
      step("bad", { errorAction: "continue" }),
      step("a"),
      step("stuck", { after: ["bad"] }),
      step("stop", { after: ["a"], errorAction: "stop" }),
      step("z", { after: ["a"] }),
    ];
    const result = await plan(steps, { payloadFor: failing("bad", "stop") });
    expect(outline(result)).toEqual({
      status: "failed",
      completed: ["a"],
      failed: ["bad", "stop"],
      skipped: ["stuck", "z"],
    });
  });

  it("PLAN-11 is not asked for payloads afterwards", async () => {
    const asked: string[] = [];
    const payloadFor = (each: { readonly stepName: string }): object => {
      asked.push(each.stepName);
      return failing("b")(each as never);
    };
    await plan(graph("a b c d"), { payloadFor });
    expect(asked).toEqual(["a", "b"]);
  });
});

describe("unmet dependencies", () => {
  const goesOn = { errorAction: "continue" } as const;

  it("PLAN-9 a dependant of a failed step is failed when nothing can progress, and so are its dependants", async () => {
    const steps = [step("a", goesOn), step("b", { after: ["a"] }), step("c", { after: ["b"] }), step("d")];
    const result = await plan(steps, { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["d"], failed: ["a", "b", "c"], skipped: [] });
  });

  it("PLAN-9 what can progress does, also after a step that cannot, whatever that step's errorAction is", async () => {
    const steps = [
      step("a", goesOn),
      step("stuck", { after: ["a"], errorAction: "stop" }),
      step("c"),
      step("d", { after: ["c"] }),
      step("e", { after: ["d"] }),
    ];
    const result = await plan(steps, { payloadFor: failing("a"), executionMode: "parallel" });
    expect(outline(result)).toEqual({
      status: "failed",
      completed: ["c", "d", "e"],
      failed: ["a", "stuck"],
      skipped: [],
    });
  });

  it("PLAN-9 one unmet dependency among met ones is enough", async () => {
    const steps = [step("a", goesOn), step("b"), step("c", { after: ["b", "a"], ...goesOn })];
    expect(outline(await plan(steps, { payloadFor: failing("a") })).failed).toEqual(["a", "c"]);
  });

  it("PLAN-9 PLAN-17 a dependency that does not exist is unmet: executing without validating ends failed", async () => {
    const result = await plan(graph("a b(gone)"));
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b"], skipped: [] });
  });

  it("PLAN-9 PLAN-17 steps in a cycle cannot progress: executing without validating ends failed", async () => {
    const result = await plan(graph("a b(c) c(b) d(c)"));
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b", "c", "d"], skipped: [] });
  });
});

describe("failures reported downstream", () => {
  it("PLAN-20 PLAN-3 a reported step is failed and has no action", async () => {
    const result = await plan(graph("a b c"), { failedSteps: [stepId("b")], failureStrategy: "continue_on_error" });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a", "c"], failed: ["b"], skipped: [] });
    expect(result.actionsEmitted).toHaveLength(2);
  });

  it("PLAN-20 PLAN-8 errorAction decides as for any failure", async () => {
    expect(await planAfterFailure({ errorAction: "stop" }, { failedSteps: [stepId("a")] })).toEqual(STOPPED);
    expect(await planAfterFailure({ errorAction: "continue" }, { failedSteps: [stepId("a")] })).toEqual(WENT_ON);
  });

  it("PLAN-20 PLAN-9 a reported step does not satisfy its dependants", async () => {
    const steps = [step("a", { errorAction: "continue" }), step("b", { after: ["a"] })];
    expect(outline(await plan(steps, { failedSteps: [stepId("a")] })).failed).toEqual(["a", "b"]);
  });

  it("PLAN-20 PLAN-10 skipOnFailure sees a reported failure", async () => {
    const steps = [step("a", { errorAction: "continue" }), step("b", { skipOnFailure: true })];
    expect(outline(await plan(steps, { failedSteps: [stepId("a")] })).skipped).toEqual(["b"]);
  });

  it("PLAN-20 a report names a step by its id, not by its name", async () => {
    const steps = [step("a", { stepName: "same" }), step("b", { stepName: "same" })];
    expect(outline(await plan(steps, { failedSteps: [stepId("b")] }))).toMatchObject({
      completed: ["a"],
      failed: ["b"],
    });
  });

  it("PLAN-20 an empty report changes nothing", async () => {
    expect(await plan(graph("a b(a)"), { failedSteps: [] })).toEqual(await plan(graph("a b(a)")));
  });
});
