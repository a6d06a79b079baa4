// A plan that is called off.

import { describe, expect, it } from "vitest";
import { failing, graph, names, outline, plan, catchRefusal, reasons, step } from "../fixture.ts";

/** Aborts while the payload of the step of that name is made. */
function abortedDuring(which: string) {
  const signal = { aborted: false };
  const payloadFor = ({ stepName }: { readonly stepName: string }): object => {
    if (stepName === which) signal.aborted = true;
    return {};
  };
  return { signal, payloadFor };
}

describe("an aborted signal", () => {
  it("PLAN-21 gives a cancelled result, not an error", async () => {
    const result = await plan(graph("a b(a)"), { signal: { aborted: true } });
    expect(result.executionStatus).toBe("cancelled");
    expect(result.actionsEmitted).toEqual([]);
    expect(result.completedSteps).toEqual([]);
  });

  it("PLAN-21 may be an AbortSignal", async () => {
    expect((await plan(graph("a"), { signal: AbortSignal.abort() })).executionStatus).toBe("cancelled");
  });

  it("PLAN-21 keeps every step in one list, and fails none", async () => {
    const steps = [step("a"), step("b", { enabled: false }), step("c", { after: ["a"] })];
    const result = await plan(steps, { signal: { aborted: true } });
    expect(result.failedSteps).toEqual([]);
    expect(names(result.skippedSteps)).toEqual(["a", "b", "c"]);
  });

  it("PLAN-21 on the way keeps what was emitted and begins nothing more", async () => {
    const result = await plan(graph("a b c d"), abortedDuring("b"));
    expect(outline(result)).toMatchObject({ status: "cancelled", completed: ["a", "b"], skipped: ["c", "d"] });
    expect(result.actionsEmitted).toHaveLength(2);
  });

  it("PLAN-21 that never aborts changes nothing", async () => {
    expect(await plan(graph("a b(a)"), { signal: { aborted: false } })).toEqual(await plan(graph("a b(a)")));
  });

  it("PLAN-2 PLAN-21 does not let a reserved mode pass", async () => {
    const refused = plan(graph("a"), { signal: { aborted: true }, executionMode: "streaming" });
    expect(reasons(await catchRefusal(refused))).toContain("reserved-mode");
  });

  it("PLAN-21 keeps failures that came before it", async () => {
    const { signal, payloadFor } = abortedDuring("b");
    const steps = [step("a", { errorAction: "continue" }), step("b"), step("c")];
    const both = (each: (typeof steps)[number]): object => ({ ...failing("a")(each), ...payloadFor(each) });
    const result = await plan(steps, { signal, payloadFor: both });
    expect(outline(result)).toEqual({ status: "cancelled", completed: ["b"], failed: ["a"], skipped: ["c"] });
  });
});
