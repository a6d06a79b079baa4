// One contract, three ways: planned with reported failures, run by the engine, and planned and then dispatched. A
// failure has the same effect in each (ruling 53), and a sequential contract runs in the order of its plan (ruling 52).

import { definitionFromOnex } from "@segno/contract";
import { PermanentError, type Json } from "@segno/kernel";
import { executeWorkflow, workflowDefinition, workflowStep, type ErrorAction, type WorkflowStep } from "@segno/planner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActionExecutor, readAction } from "../../src/index.ts";
import { openTestEngine } from "@segno/engine/testing";
import { uuid, WORKFLOW } from "./sample-actions.ts";

interface Row {
  readonly needs: readonly number[];
  readonly errorAction: ErrorAction | undefined;
  readonly fails: boolean;
}

const version = { major: 1, minor: 0, patch: 0 };
const definition = workflowDefinition({
  version,
  workflowMetadata: { version, workflowName: "w", workflowVersion: version, description: "" },
  executionGraph: { version },
});

const rows: fc.Arbitrary<readonly Row[]> = fc
  .array(
    fc.record({
      needs: fc.uniqueArray(fc.nat(7), { maxLength: 2 }),
      errorAction: fc.constantFrom<ErrorAction | undefined>("stop", "continue", undefined),
      fails: fc.nat(3).map((chance) => chance === 0),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) => list.map((row, index) => ({ ...row, needs: row.needs.filter((each) => each < index) })));

function listSteps(list: readonly Row[]): readonly WorkflowStep[] {
  return list.map(({ needs, errorAction }, index) =>
    workflowStep(
      {
        stepId: uuid(index),
        correlationId: uuid(index),
        stepName: `s${index}`,
        stepType: "compute",
        dependsOn: needs.map(uuid),
        retryCount: 0,
        errorAction,
      },
      { newId: () => uuid(0) },
    ),
  );
}

interface Told {
  readonly status: string;
  /** The numbers of the executed steps, in order. */
  readonly completed: readonly number[];
}

function sources() {
  let last = 100;
  return { newId: () => uuid(++last), now: () => 0 };
}

async function planned(list: readonly Row[]): Promise<Told> {
  const failedSteps = list.flatMap(({ fails }, index) => (fails ? [uuid(index)] : []));
  // A reported failure of a step that the plan would not reach has no effect, so only reached steps are reported.
  const { executionStatus, completedSteps } = await executeWorkflow(definition, listSteps(list), WORKFLOW, {
    ...sources(),
    failedSteps: begun(list, failedSteps),
  });
  return { status: executionStatus, completed: completedSteps.map((id) => Number(id.slice(-12))) };
}

/** The failed steps that do not depend on another failed one. */
function begun(list: readonly Row[], failed: readonly string[]): readonly string[] {
  const reached = (index: number): boolean =>
    list[index]!.needs.every((each) => !failed.includes(uuid(each)) && reached(each));
  return failed.filter((id) => reached(Number(id.slice(-12))));
}

async function run(list: readonly Row[]): Promise<Told> {
  const completed: number[] = [];
  await using test = await openTestEngine();
  test.engine.agent("NodeCompute", (input) => carryOut(list, numberIn(input), completed));
  const handle = await test.engine.start(definitionFromOnex({ definition, steps: listSteps(list) }));
  await handle.result().catch(() => undefined);
  return { status: (await handle.status()).status, completed };
}

async function dispatched(list: readonly Row[]): Promise<Told> {
  const completed: number[] = [];
  await using test = await openTestEngine();
  const executor = new ActionExecutor(test.engine, {
    NodeCompute: ({ payload }) => carryOut(list, numberIn(payload), completed),
  });
  const plan = await executeWorkflow(definition, listSteps(list), WORKFLOW, sources());
  const handle = await executor.dispatch(plan, { concurrency: 1 });
  await handle.result().catch(() => undefined);
  return { status: (await handle.status()).status, completed };
}

function numberIn(payload: Json): number {
  return Number((payload as { readonly step_name: string }).step_name.slice(1));
}

function carryOut(list: readonly Row[], number: number, completed: number[]): number {
  if (list[number]!.fails) throw new PermanentError("broken");
  completed.push(number);
  return number;
}

describe("a failed step of an ONEX contract", () => {
  it("PLAN-8 STATE-7 means the same for the planner and for a run, which keeps to the order of the plan", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        expect(await run(list)).toEqual(await planned(list));
      }),
      { numRuns: 150 },
    );
  });

  it("PLAN-8 STATE-7 fails a dispatched plan as it fails a run: stop skips what has not begun, continue goes on", async () => {
    const failing = (errorAction: ErrorAction): readonly Row[] => [
      { needs: [], errorAction, fails: true },
      { needs: [], errorAction: undefined, fails: false },
      { needs: [0], errorAction: undefined, fails: false },
      { needs: [1], errorAction: undefined, fails: false },
    ];
    for (const errorAction of ["stop", "continue"] as const) {
      const told = { status: "failed", completed: errorAction === "stop" ? [] : [1, 3] };
      for (const way of [planned, run, dispatched]) expect(await way(failing(errorAction))).toEqual(told);
    }
  });

  it("PLAN-8 STATE-7 a stop after a failure that let the others go on stops them all the same", async () => {
    const list: readonly Row[] = [
      { needs: [], errorAction: "continue", fails: true },
      { needs: [], errorAction: "stop", fails: true },
      { needs: [], errorAction: undefined, fails: false },
    ];
    for (const way of [planned, run, dispatched]) expect(await way(list)).toEqual({ status: "failed", completed: [] });
  });

  it("OPTION_INVALID a dispatch takes no failure strategy where the steps of the plan say their own, and one for JSON", async () => {
    await using test = await openTestEngine();
    const executor = new ActionExecutor(test.engine, { NodeCompute: () => 1 });
    const list: readonly Row[] = [{ needs: [], errorAction: "continue", fails: false }];
    const plan = await executeWorkflow(definition, listSteps(list), WORKFLOW, sources());
    for (const failureStrategy of ["fail_fast", "continue_on_error"] as const)
      await expect(executor.dispatch(plan, { failureStrategy })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    const travelled = (JSON.parse(JSON.stringify(plan.actionsEmitted)) as unknown[]).map(readAction);
    const handle = await executor.dispatch(travelled, { failureStrategy: "continue_on_error" });
    await test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
  });
});
