// Steps that are left out once something has failed.

import { describe, expect, it } from "vitest";
import { failing, outline, plan, step } from "../fixture.ts";

const goesOn = { errorAction: "continue" } as const;
const soft = { skipOnFailure: true, errorAction: "continue" } as const;

describe("skipOnFailure", () => {
  it("PLAN-10 skips a step after a failure that it does not depend on", async () => {
    const result = await plan([step("a", goesOn), step("b", soft), step("c")], { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["c"], failed: ["a"], skipped: ["b"] });
    expect(result.actionsEmitted).toHaveLength(1);
  });

  it("PLAN-10 changes nothing where nothing failed", async () => {
    const result = await plan([step("a"), step("b", soft)]);
    expect(outline(result)).toEqual({ status: "completed", completed: ["a", "b"], failed: [], skipped: [] });
  });

  it("PLAN-10 looks at earlier steps only", async () => {
    const result = await plan([step("a", soft), step("b", goesOn)], { payloadFor: failing("b") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b"], skipped: [] });
  });

  it("PLAN-10 earlier means emission order: a failure declared later but processed before counts", async () => {
    const steps = [step("x", { ...soft, after: ["root"] }), step("root"), step("bad", goesOn)];
    const result = await plan(steps, { payloadFor: failing("bad") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["root"], failed: ["bad"], skipped: ["x"] });
  });

  it("PLAN-10 earlier means emission order: a failure declared before but processed later does not count", async () => {
    const steps = [step("bad", { ...goesOn, after: ["root"] }), step("root"), step("x", soft)];
    const result = await plan(steps, { payloadFor: failing("bad") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["root", "x"], failed: ["bad"], skipped: [] });
  });

  it("PLAN-10 PLAN-9 never beats an unmet dependency: such a step is failed, not skipped", async () => {
    const steps = [step("a", goesOn), step("b", { ...soft, after: ["a"] })];
    const result = await plan(steps, { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: [], failed: ["a", "b"], skipped: [] });
  });

  it("PLAN-10 a step skipped so does not satisfy its dependants: they are failed", async () => {
    const steps = [step("a", goesOn), step("b", soft), step("c", { after: ["b"] }), step("d", { after: ["c"] })];
    const result = await plan(steps, { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: [], failed: ["a", "c", "d"], skipped: ["b"] });
  });

  it("PLAN-10 a disabled step with it is skipped as disabled and satisfies its dependants", async () => {
    const steps = [step("a", goesOn), step("b", { ...soft, enabled: false }), step("c", { after: ["b"] })];
    const result = await plan(steps, { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["c"], failed: ["a"], skipped: ["b"] });
  });

  it("PLAN-10 a step skipped so is no failure itself", async () => {
    const { metadata } = await plan([step("a", goesOn), step("b", soft)], { payloadFor: failing("a") });
    expect(metadata["errors"]).toHaveLength(1);
  });
});
