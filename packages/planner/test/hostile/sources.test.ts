// Clocks, ids, signals and reports that cannot be trusted.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  definition,
  failing,
  graph,
  names,
  numberedId,
  outline,
  plan,
  catchRefusal,
  PlannerFixture,
  START_MS,
  step,
  stepId,
  WORKFLOW_ID,
} from "../fixture.ts";
import { executeWorkflow } from "@segno/planner";

describe("a clock", () => {
  it("PLAN-1 PLAN-12 that goes backwards gives no negative duration and no timeout", async () => {
    let now = START_MS;
    const result = await plan(graph("a b c"), { now: () => (now -= 1000), globalTimeoutMs: 1000 });
    expect(outline(result)).toMatchObject({ status: "completed", completed: ["a", "b", "c"] });
    expect(result.executionTimeMs).toBeGreaterThanOrEqual(0);
  });

  it("PLAN-12 that leaps ends the plan at the leap, whichever reading it is", async () => {
    const steps = [step("a"), step("off", { enabled: false }), step("b", { after: ["a"] }), step("c")];
    for (let at = 1; at < 12; at++) {
      let reads = 0;
      const now = (): number => (reads++ < at ? START_MS : START_MS + 5000);
      const result = await plan(steps, { now, globalTimeoutMs: 1000 });
      const { status, completed, failed, skipped } = outline(result);
      expect([...completed, ...failed].toSorted()).toEqual(["a", "b", "c"]);
      expect(skipped).toEqual(["off"]);
      expect(["a", "c", "b"].slice(0, completed.length)).toEqual(completed);
      expect(status).toBe(failed.length > 0 ? "failed" : "completed");
    }
  });

  it("PLAN-1 that stands at the epoch, or before it, is a clock", async () => {
    for (const nowMs of [0, -1, 1, 253_402_300_799_999]) {
      const { timestamp, actionsEmitted } = await plan(graph("a"), { now: () => nowMs });
      expect([timestamp, actionsEmitted[0]!.createdAt].map(Date.parse)).toEqual([nowMs, nowMs]);
    }
  });
});

describe("moments", () => {
  const day = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });

  it("PLAN-4 PLAN-1 are written as the platform writes them, from year 0 to 9999", async () => {
    await fc.assert(
      fc.asyncProperty(day, async (nowMs) => {
        const { timestamp, actionsEmitted } = await plan(graph("a"), { now: () => nowMs });
        const written = new Date(nowMs).toISOString();
        expect([timestamp, actionsEmitted[0]!.createdAt]).toEqual([written, written]);
      }),
      { numRuns: 1000 },
    );
  });

  it("PLAN-4 PLAN-1 are right on the first and last day of every month, leap years and centuries too", async () => {
    for (const year of [1, 4, 100, 400, 1600, 1899, 1900, 1969, 1970, 1972, 2000, 2024, 2100, 9999])
      for (let month = 0; month < 12; month++)
        for (const date of [0, 1]) {
          const nowMs = new Date(Date.UTC(2000, 0, 1)).setUTCFullYear(year, month, date);
          expect((await plan([], { now: () => nowMs })).timestamp).toBe(new Date(nowMs).toISOString());
        }
  });
});

describe("options that are none", () => {
  const { newId } = new PlannerFixture();

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "now"],
    ["an empty object", {}],
    ["no clock", { newId }],
    ["a clock that is no function", { now: 5, newId }],
  ])("PLAN-1 %s reject the promise and throw nothing", async (_name, options) => {
    const pending = executeWorkflow(definition(), [], WORKFLOW_ID, options as never);
    await expect(pending).rejects.toThrow(Error);
  });

  it("PLAN-1 ids or payloads that cannot be asked for are refused", async () => {
    const wrong: readonly object[] = [{ newId: undefined }, { newId: "id" }, { payloadFor: 5 }, { payloadFor: {} }];
    for (const options of wrong)
      expect(await catchRefusal(plan(graph("a"), options))).toMatchObject([{ path: Object.keys(options)[0] }]);
  });
});

describe("a source of ids", () => {
  it("PLAN-4 that repeats itself is believed: the plan ends, with an action for each step", async () => {
    const result = await plan(graph("a b(a) c(b)"), { newId: () => numberedId(7) });
    expect(outline(result)).toMatchObject({ status: "completed", completed: ["a", "b", "c"] });
    expect(result.actionsEmitted.map(({ dependencies }) => dependencies.length)).toEqual([0, 1, 1]);
  });

  it("PLAN-4 that gives the ids of steps does not confuse actions with steps", async () => {
    const ids = ["b", "a", "x", "y"].map(stepId).values();
    const result = await plan(graph("a b(a)"), { newId: () => ids.next().value ?? numberedId(1) });
    expect(names(result.completedSteps)).toEqual(["a", "b"]);
    expect(result.actionsEmitted[1]!.dependencies).toEqual([result.actionsEmitted[0]!.actionId]);
  });

  it("PLAN-14 that fails on the way fails the steps that it fails on", async () => {
    const fixture = new PlannerFixture();
    const newId = (): string => {
      if (fixture.issued.length === 2) throw new Error("used up");
      return fixture.newId();
    };
    const result = await plan(graph("a b c"), { newId });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b"], skipped: ["c"] });
  });
});

describe("a signal", () => {
  it("PLAN-21 that aborts at any reading leaves a whole result", async () => {
    const rows = [
      step("a"),
      step("off", { enabled: false }),
      step("b", { after: ["a"] }),
      step("c"),
      step("d", { after: ["c"] }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.nat(10), async (reads) => {
        let left = reads;
        const signal = {
          get aborted(): boolean {
            return left-- <= 0;
          },
        };
        const result = await plan(rows, { signal });
        const { status, completed, failed, skipped } = outline(result);
        expect(completed).toEqual(["a", "c", "b", "d"].slice(0, completed.length));
        expect([...completed, ...skipped].toSorted()).toEqual(["a", "b", "c", "d", "off"]);
        expect(failed).toEqual([]);
        expect(status).toBe(completed.length < 4 ? "cancelled" : status);
        expect(result.actionsEmitted).toHaveLength(completed.length);
      }),
    );
  });

  it("PLAN-21 that is aborted at its first reading begins nothing", async () => {
    let asked = 0;
    const payloadFor = (): object => ({ asked: asked++ });
    const result = await plan(graph("a b"), { signal: { aborted: true }, payloadFor });
    expect([asked, result.executionStatus]).toEqual([0, "cancelled"]);
  });

  it("PLAN-21 that takes its word back does not undo a cancellation", async () => {
    for (let at = 0; at < 4; at++) {
      let reads = 0;
      const signal = {
        get aborted(): boolean {
          return reads++ === at;
        },
      };
      const { status, completed, skipped } = outline(await plan(graph("a b c d e f"), { signal }));
      if (reads > at) expect([status, completed.length + skipped.length]).toEqual(["cancelled", 6]);
      expect(completed).toEqual(["a", "b", "c", "d", "e", "f"].slice(0, completed.length));
    }
  });
});

describe("a report of failed steps", () => {
  it("PLAN-20 that names steps twice or steps that do not exist adds no steps to the result", async () => {
    const failedSteps = [stepId("a"), stepId("a"), stepId("ghost"), "", "__proto__"];
    const attempt = plan(graph("a b"), { failedSteps, failureStrategy: "continue_on_error" });
    const outcome = await attempt.then(outline, (error: unknown) => (error as { readonly code: string }).code);
    expect([{ status: "failed", completed: ["b"], failed: ["a"], skipped: [] }, "VALIDATION_ERROR"]).toContainEqual(
      outcome,
    );
  });

  it("PLAN-20 that names a step which fails by itself fails it once", async () => {
    const result = await plan(graph("a"), { failedSteps: [stepId("a")], payloadFor: failing("a") });
    expect(result.failedSteps).toEqual([stepId("a")]);
    expect(result.metadata["errors"]).toHaveLength(1);
  });

  it("PLAN-20 of a hundred thousand entries is read quickly enough to be read at all", async () => {
    const failedSteps = Array.from({ length: 100_000 }, (_, index) => numberedId(index));
    const steps = Array.from({ length: 2000 }, (_, index) => step(`s${index}`));
    expect((await plan(steps, { failedSteps })).completedSteps).toHaveLength(2000);
  });
});
