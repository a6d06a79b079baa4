// The planner against a second one, which is written for being plain: no graph, no indexes, names in lists. Workflows are
// random and need not be sound: they have cycles, loops and dependencies on nothing, and time passes while they are planned.

import * as fc from "fast-check";
import { InvariantViolation } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { workflowDefinition } from "../model/workflow-definition.ts";
import { workflowStep, type WorkflowStep } from "../model/workflow-step.ts";
import type { ErrorAction, FailureStrategy } from "../model/vocabulary.ts";
import { executeWorkflow } from "./execute-workflow.ts";
import { getExecutionOrder } from "./get-execution-order.ts";
import type { PlanOptions } from "./plan-options.ts";

interface Row {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly enabled: boolean;
  readonly skipOnFailure: boolean;
  readonly errorAction: ErrorAction | undefined;
  /** Runs when the action of the step is made. */
  readonly fate: "made" | "throws" | "not-json" | "reported";
}

interface Call {
  readonly rows: readonly Row[];
  readonly failureStrategy: FailureStrategy | undefined;
  /** Each step that gets as far as its payload takes a millisecond. */
  readonly globalTimeoutMs: number;
  /** After so many payloads somebody aborts. */
  readonly abortAfter: number;
}

interface PlanSummary {
  readonly status: string;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  readonly reasons: readonly string[];
  readonly dependencies: readonly (readonly string[])[];
}

const VERSION = { major: 1, minor: 0, patch: 0 };
const DEFINITION = workflowDefinition({
  version: VERSION,
  workflowMetadata: { version: VERSION, workflowName: "w", workflowVersion: VERSION, description: "" },
  executionGraph: { version: VERSION },
});
const toId = (number: number): string => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
const findStep = ({ id, dependsOn, enabled, skipOnFailure, errorAction }: Row): WorkflowStep =>
  workflowStep(
    { stepId: id, stepName: "s", stepType: "compute", dependsOn, enabled, skipOnFailure, errorAction },
    { newId: () => id },
  );

function calls(most: number): fc.Arbitrary<Call> {
  const errorAction = fc.constantFrom<ErrorAction | undefined>(undefined, "stop", "continue", "retry", "compensate");
  const row = fc.record({
    edges: fc.array(fc.tuple(fc.nat(most), fc.nat(19)), { maxLength: 3 }),
    enabled: fc.nat(5).map((chance) => chance > 0),
    skipOnFailure: fc.nat(3).map((chance) => chance === 0),
    errorAction,
    fate: fc.constantFrom<Row["fate"]>("made", "made", "made", "made", "throws", "not-json", "reported"),
  });
  return fc.record({
    rows: fc.array(row, { maxLength: most }).map((rows) =>
      // Edges mostly go to what is declared before; one in twenty goes anywhere, also to the step itself or to nothing.
      rows.map(({ edges, ...rest }, index) => ({
        ...rest,
        id: toId(index),
        dependsOn: edges
          .filter(([to, chance]) => chance === 0 || to < index)
          .flatMap(([to, chance]) => (chance < 3 ? [toId(to), toId(to)] : [toId(to)])),
      })),
    ),
    failureStrategy: fc.constantFrom<FailureStrategy | undefined>(undefined, "fail_fast", "continue_on_error"),
    globalTimeoutMs: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: most })),
    abortAfter: fc.oneof(fc.constant(1000), fc.nat(most)),
  });
}

async function planned({ rows, failureStrategy, globalTimeoutMs, abortAfter }: Call): Promise<PlanSummary> {
  let [nowMs, drawn] = [0, 0];
  const fates = new Map(rows.map(({ id, fate }) => [id, fate]));
  const options: PlanOptions = {
    newId: () => toId(1000 + drawn++),
    now: () => nowMs,
    failureStrategy,
    globalTimeoutMs,
    failedSteps: rows.filter(({ fate }) => fate === "reported").map(({ id }) => id),
    signal: {
      get aborted() {
        return nowMs >= abortAfter;
      },
    },
    payloadFor: ({ stepId }) => {
      nowMs++;
      if (fates.get(stepId) === "throws") throw new Error("no payload");
      return fates.get(stepId) === "not-json" ? { value: Number.NaN } : {};
    },
  };
  const result = await executeWorkflow(DEFINITION, rows.map(findStep), toId(999), options);
  const toStepId = new Map(result.actionsEmitted.map(({ actionId, payload }) => [actionId, payload["step_id"]]));
  const errors = (result.metadata["errors"] ?? []) as readonly {
    readonly step_id: string;
    readonly error_type: string;
  }[];
  expect(errors.map(({ step_id }) => step_id)).toEqual(result.failedSteps);
  return {
    status: result.executionStatus,
    completed: result.completedSteps,
    failed: result.failedSteps,
    skipped: result.skippedSteps,
    reasons: errors.map(({ error_type }) => error_type),
    dependencies: result.actionsEmitted.map((each) => each.dependencies.map((id) => String(toStepId.get(id)))),
  };
}

/** Wave after wave of those whose enabled dependencies all stand in earlier waves, until there is none. */
function plainOrder(rows: readonly Row[]): Row[] {
  const disabled = rows.filter(({ enabled }) => !enabled).map(({ id }) => id);
  const known = new Set(rows.map(({ id }) => id));
  const done: Row[] = [];
  for (let wave: Row[] = [], first = true; first || wave.length > 0; first = false) {
    const before = new Set([...disabled, ...done.map(({ id }) => id)]);
    wave = rows.filter(
      (row) => row.enabled && !done.includes(row) && row.dependsOn.every((id) => before.has(id) || !known.has(id)),
    );
    done.push(...wave);
  }
  return done;
}

function plainPlan({ rows, failureStrategy, globalTimeoutMs, abortAfter }: Call): PlanSummary {
  const completed: string[] = [];
  const failed: string[] = [];
  const reasons: string[] = [];
  const skippedInTurn: string[] = [];
  const disabled = rows.filter(({ enabled }) => !enabled).map(({ id }) => id);
  let [nowMs, ending] = [0, "none"];
  const fail = (row: Row, reason: string): void => {
    failed.push(row.id);
    reasons.push(reason);
    const fallback = failureStrategy === "continue_on_error" ? "continue" : "stop";
    if ((row.errorAction ?? fallback) === "stop") ending = "stop";
  };
  for (const row of plainOrder(rows)) {
    if (ending !== "none") break;
    if (nowMs >= abortAfter) ending = "abort";
    else if (nowMs >= globalTimeoutMs) ending = "timeout";
    else if (row.fate === "reported") fail(row, "downstream-failure");
    else if (!row.dependsOn.every((id) => completed.includes(id) || disabled.includes(id))) continue;
    else if (row.skipOnFailure && failed.length > 0) skippedInTurn.push(row.id);
    else {
      nowMs++;
      if (row.fate === "made" && nowMs >= globalTimeoutMs) ending = "timeout";
      else if (row.fate === "made") completed.push(row.id);
      else fail(row, row.fate === "throws" ? "action-creation-failed" : "not-json");
    }
  }
  const settled = new Set([...completed, ...failed, ...skippedInTurn, ...disabled]);
  const open = rows.filter(({ id }) => !settled.has(id)).map(({ id }) => id);
  if (ending === "none" || ending === "timeout") {
    failed.push(...open);
    reasons.push(...open.map(() => (ending === "timeout" ? "timeout" : "unmet-dependency")));
  }
  return {
    status: ending === "abort" ? "cancelled" : failed.length > 0 ? "failed" : "completed",
    completed,
    failed,
    skipped: rows.map(({ id }) => id).filter((id) => !completed.includes(id) && !failed.includes(id)),
    reasons,
    dependencies: completed.map((id) => {
      const { dependsOn } = rows.find((row) => row.id === id)!;
      return rows.map((row) => row.id).filter((other) => dependsOn.includes(other) && completed.includes(other));
    }),
  };
}

describe("a plan", () => {
  it("PLAN-3 PLAN-5 PLAN-8 PLAN-9 PLAN-10 PLAN-11 PLAN-12 PLAN-20 PLAN-21 is what a plain planner makes", async () => {
    await fc.assert(
      fc.asyncProperty(calls(10), async (call) => {
        expect(await planned(call)).toEqual(plainPlan(call));
      }),
      { numRuns: 3000 },
    );
  });

  it("GRAPH-2 has an order without cycles that a plain one agrees with", () => {
    fc.assert(
      fc.property(calls(9), ({ rows }) => {
        const sound = rows.map((row) => ({
          ...row,
          enabled: true,
          dependsOn: row.dependsOn.filter((id) => rows.some((other) => other.id === id)),
        }));
        const expected = plainOrder(sound).map(({ id }) => id);
        expect(getExecutionOrder(sound.map(findStep), { onCycle: "drop" })).toEqual(expected);
        if (expected.length === rows.length) expect(getExecutionOrder(sound.map(findStep))).toEqual(expected);
        else expect(() => getExecutionOrder(sound.map(findStep))).toThrow(/a dependency cycle/u);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a plan that goes wrong", () => {
  const one = [
    findStep({ id: toId(1), dependsOn: [], enabled: true, skipOnFailure: false, errorAction: undefined, fate: "made" }),
  ];
  const SOURCES = { newId: () => toId(7), now: () => 0 };
  const makePlan = (options: Partial<PlanOptions>, steps: readonly WorkflowStep[] = one) =>
    executeWorkflow(DEFINITION, steps, toId(999), { ...SOURCES, ...options });

  it("PLAN-14 raises a broken invariant: a bug is no failure of a step", async () => {
    const payloadFor = (): never => {
      throw new InvariantViolation("X-1", "cannot be");
    };
    await expect(makePlan({ payloadFor })).rejects.toBeInstanceOf(InvariantViolation);
  });

  it("PLAN-14 fails a step whose ids have not the form of ids", async () => {
    for (const id of ["", "7", toId(7).replaceAll("-", "_"), toId(7).slice(1), 7 as never]) {
      const { metadata, actionsEmitted } = await makePlan({ newId: () => id });
      expect(metadata["errors"]).toMatchObject([{ error_type: "not-a-uuid" }]);
      expect(actionsEmitted).toEqual([]);
    }
  });

  it("PLAN-1 refuses a clock that tells no time", async () => {
    await expect(makePlan({ now: () => Number.NaN })).rejects.toMatchObject({ problems: [{ path: "now" }] });
  });

  it("PLAN-6 has no action for a conditional step, which validation would have refused", async () => {
    const conditional = workflowStep({ stepName: "c", stepType: "conditional" }, { newId: () => toId(3) });
    const result = await makePlan({}, [conditional]);
    expect(result).toMatchObject({ executionStatus: "failed", actionsEmitted: [] });
    expect(result.metadata["errors"]).toMatchObject([{ error_type: "conditional-step" }]);
  });

  it("PLAN-9 names what a step waited for in vain, whatever the order of its dependencies", async () => {
    const waiting = (dependsOn: readonly string[]) =>
      workflowStep({ stepId: toId(5), stepName: "w", stepType: "custom", dependsOn }, SOURCES);
    for (const dependsOn of [
      [toId(80), toId(1), toId(90)],
      [toId(90), toId(80), toId(1), toId(90)],
    ]) {
      const { metadata } = await makePlan({}, [...one, waiting(dependsOn)]);
      const message = `it depends on ${toId(80)} (and 1 more), which did not complete`;
      expect(metadata["errors"]).toEqual([{ step_id: toId(5), error_type: "unmet-dependency", message }]);
    }
  });

  it("GRAPH-8 PLAN-9 is made of a circle of 100,000 steps without recursion", async () => {
    const size = 100_000;
    const circle = Array.from({ length: size }, (_, index) =>
      workflowStep(
        { stepId: toId(index), stepName: "s", stepType: "compute", dependsOn: [toId((index + 1) % size)] },
        SOURCES,
      ),
    );
    expect((await makePlan({}, circle)).failedSteps).toHaveLength(size);
    expect(getExecutionOrder(circle, { onCycle: "drop" })).toEqual([]);
    expect(() => getExecutionOrder(circle)).toThrow(/-> and 99981 more/u);
  });
});
