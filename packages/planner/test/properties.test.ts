// Random workflows: the planner against the rules written out plainly, and what holds for every result.

import * as fc from "fast-check";
import { getExecutionOrder, type FailureStrategy } from "@segno/planner";
import { describe, expect, it } from "vitest";
import { builtStep, emissionOrder, expectedOutline, type Row } from "./reference.ts";
import { failing, names, outline, plan, stepId } from "./fixture.ts";

interface Drawn {
  readonly place: number;
  readonly wants: readonly number[];
  readonly enabled: boolean;
  readonly fails: boolean;
  readonly skipOnFailure: boolean;
  readonly errorAction: Row["errorAction"];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  place: fc.nat(),
  wants: fc.array(fc.nat(30), { maxLength: 3 }),
  enabled: fc.integer({ min: 0, max: 4 }).map((chance) => chance > 0),
  fails: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
  skipOnFailure: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
  errorAction: fc.constantFrom(undefined, "stop", "continue", "continue", "retry", "compensate"),
});

/** Dependencies go to steps of a lower place, so there is no cycle, but they may be declared later. */
const workflow: fc.Arbitrary<Row[]> = fc.array(drawn, { maxLength: 14 }).map((all) => {
  const byPlace = all.map((_, index) => index).toSorted((one, two) => all[one]!.place - all[two]!.place || one - two);
  const rank = new Map(byPlace.map((index, place) => [index, place]));
  return all.map((each, index) => {
    const { wants, place: _, ...rest } = each;
    const after = wants.filter((want) => want < rank.get(index)!).map((want) => toName(byPlace[want]!));
    return { ...rest, name: toName(index), after };
  });
});
const strategy = fc.constantFrom<FailureStrategy | undefined>(undefined, "fail_fast", "continue_on_error");
const mode = fc.constantFrom("sequential" as const, "parallel" as const, "batch" as const);

function toName(index: number): string {
  return `s${String.fromCodePoint(97 + index)}`;
}

function planRows(rows: readonly Row[], failureStrategy: FailureStrategy | undefined, executionMode: Mode) {
  const payloadFor = failing(...rows.filter(({ fails }) => fails).map(({ name }) => name));
  const options = failureStrategy === undefined ? {} : { failureStrategy };
  return plan(rows.map(builtStep), { payloadFor, executionMode, ...options });
}
type Mode = "sequential" | "parallel" | "batch";

describe("any workflow", () => {
  it("PLAN-3 PLAN-8 PLAN-9 PLAN-10 PLAN-11 ends as the rules say", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, strategy, mode, async (rows, failureStrategy, executionMode) => {
        const result = await planRows(rows, failureStrategy, executionMode);
        expect(outline(result)).toEqual(expectedOutline(rows, failureStrategy));
      }),
      { numRuns: 1000 },
    );
  });

  it("PLAN-3 has every step in exactly one list, and an action exactly for each completed one, in that order", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, strategy, mode, async (rows, failureStrategy, executionMode) => {
        const result = await planRows(rows, failureStrategy, executionMode);
        const listed = [...result.completedSteps, ...result.failedSteps, ...result.skippedSteps];
        expect(listed.toSorted()).toEqual(rows.map(({ name }) => stepId(name)).toSorted());
        expect(result.actionsEmitted.map(({ payload }) => payload["step_id"])).toEqual(result.completedSteps);
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-5 has actions that depend on the actions of their steps' dependencies, all emitted before", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, strategy, async (rows, failureStrategy) => {
        const { actionsEmitted } = await planRows(rows, failureStrategy, "parallel");
        const before = new Map<string, string>();
        for (const action of actionsEmitted) {
          const { after } = rows.find(({ name }) => name === action.payload["step_name"])!;
          const wanted = rows.filter(({ name }) => after.includes(name)).flatMap(({ name }) => before.get(name) ?? []);
          expect(action.dependencies).toEqual(wanted);
          before.set(action.payload["step_name"] as string, action.actionId);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-19 has one entry in errors for each failed step, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, strategy, async (rows, failureStrategy) => {
        const { failedSteps, metadata } = await planRows(rows, failureStrategy, "sequential");
        const errors = (metadata["errors"] ?? []) as readonly { readonly step_id: string }[];
        expect(errors.map((error) => error.step_id).toSorted()).toEqual(failedSteps.toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-2 GRAPH-2 is processed the same in every mode", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, strategy, async (rows, failureStrategy) => {
        const [one, two, three] = await Promise.all(
          (["sequential", "parallel", "batch"] as const).map((each) => planRows(rows, failureStrategy, each)),
        );
        expect(two!.actionsEmitted).toEqual(one!.actionsEmitted);
        expect(three!.actionsEmitted).toEqual(one!.actionsEmitted);
        expect([outline(two!), outline(three!)]).toEqual([outline(one!), outline(one!)]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("any graph", () => {
  it("GRAPH-2 PLAN-3 is ordered by waves, and by declaration inside a wave", () => {
    fc.assert(
      fc.property(workflow, (rows) => {
        const enabled = rows.map((row) => ({ ...row, enabled: true }));
        expect(names(getExecutionOrder(enabled.map(builtStep)))).toEqual(
          emissionOrder(enabled).map(({ name }) => name),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("GRAPH-3 means the same however its dependencies are listed, and however often", async () => {
    await fc.assert(
      fc.asyncProperty(workflow, async (rows) => {
        const turned = rows.map((row) => ({ ...row, after: [...row.after.toReversed(), ...row.after] }));
        expect(await planRows(turned, undefined, "parallel")).toEqual(await planRows(rows, undefined, "parallel"));
      }),
      { numRuns: 200 },
    );
  });
});
