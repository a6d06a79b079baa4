// Planning: validation, order and `executeWorkflow` over 100,000 steps.
//
// Baseline of the planner: a loop that makes the same actions by hand, in an order that it is given: as many objects with
// the same fields, the same ids and the same dependencies, frozen as deep. It checks nothing, orders nothing and keeps no
// lists. The source's own figures are times; they are held with ten times the margin (SPEED-1).

import {
  executeWorkflow,
  getExecutionOrder,
  validateWorkflowDefinition,
  workflowDefinition,
  workflowStep,
  type PlanOptions,
  type WorkflowStep,
} from "@segno/planner";
import { contest, type Medians } from "./contest.ts";
import { figure, median, ms, type Figure } from "./figure.ts";
import { layeredGraph } from "./layered-graph.ts";

const VERSION = { major: 1, minor: 0, patch: 0 };
const WORKFLOW_ID = uuid(0, "f");
const NOW_MS = 1_700_000_000_000;
const DEFINITION = workflowDefinition({
  version: VERSION,
  workflowMetadata: { version: VERSION, workflowName: "bench", workflowVersion: VERSION, description: "" },
  executionGraph: { version: VERSION },
});

export async function benchPlan(): Promise<readonly Figure[]> {
  const few = workload(1000);
  const many = workload(100_000);
  return [await againstHand(many), await linearity(few, many), await oneAction(), ...validation(), memory(many)];
}

interface Workload {
  readonly steps: readonly WorkflowStep[];
  /** For each step, the indexes of those it depends on. */
  readonly dependencies: readonly (readonly number[])[];
  readonly order: readonly number[];
  /** Two for each step, made before: what making them costs is not ours. */
  readonly ids: readonly string[];
}

/** Two dependencies a step, on average. */
function workload(size: number): Workload {
  const { dependencies } = layeredGraph(size, 2 * size);
  const stepIds = dependencies.map((_, index) => uuid(index, "a"));
  const steps = dependencies.map((list, index) =>
    workflowStep(
      {
        stepId: stepIds[index],
        correlationId: uuid(index, "b"),
        stepName: `step ${index}`,
        stepType: "compute",
        dependsOn: list.map((dependency) => stepIds[dependency]!),
      },
      { newId: () => WORKFLOW_ID },
    ),
  );
  const place = new Map(stepIds.map((id, index) => [id, index]));
  const order = getExecutionOrder(steps).map((id) => place.get(id)!);
  const ids = Array.from({ length: size * 2 }, (_, index) => uuid(index, "c"));
  return { steps, dependencies, order, ids };
}

function uuid(number: number, kind: string): string {
  return `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${kind.repeat(12)}`;
}

function makeSources({ ids }: Workload): PlanOptions {
  let drawn = 0;
  return { newId: () => ids[drawn++]!, now: () => NOW_MS };
}

async function planned(work: Workload): Promise<unknown> {
  const result = await executeWorkflow(DEFINITION, work.steps, WORKFLOW_ID, makeSources(work));
  if (result.actionsEmitted.length !== work.steps.length) throw new Error("the benchmark's plan is not complete");
  return result;
}

function byHand(work: Workload): unknown {
  const { newId, now } = makeSources(work);
  const createdAt = new Date(now()).toISOString();
  const actionIds: string[] = [];
  return work.order.map((index) => {
    const { stepId, stepName, correlationId, priority, timeoutMs, retryCount } = work.steps[index]!;
    const actionId = newId();
    actionIds[index] = actionId;
    return Object.freeze({
      actionId,
      actionType: "compute",
      targetNodeType: "NodeCompute",
      payload: Object.freeze({ workflow_id: WORKFLOW_ID, step_id: stepId, step_name: stepName }),
      dependencies: Object.freeze(work.dependencies[index]!.map((dependency) => actionIds[dependency])),
      priority: Math.min(priority, 10),
      timeoutMs,
      leaseId: newId(),
      epoch: 0,
      retryCount,
      metadata: Object.freeze({ step_name: stepName, correlation_id: correlationId }),
      createdAt,
    });
  });
}

const driven = (work: Workload, rounds: number): Promise<Medians> =>
  contest({ ours: () => planned(work), baseline: () => byHand(work), rounds, warmUps: 4 });

async function againstHand(many: Workload): Promise<Figure> {
  const { oursMs, baselineMs } = await driven(many, 11);
  const note = `${ms(oursMs)} against ${ms(baselineMs)}`;
  return figure("plan: 100,000 steps against frozen actions made by hand", oursMs / baselineMs, 3, note);
}

/** How much dearer a step is among 100,000, against how much dearer an action made by hand is. */
async function linearity(few: Workload, many: Workload): Promise<Figure> {
  const [small, large] = [await driven(few, 101), await driven(many, 7)];
  const ratio = large.oursMs / small.oursMs / (large.baselineMs / small.baselineMs);
  const note = `ours ${ms(small.oursMs)} to ${ms(large.oursMs)}, by hand ${ms(small.baselineMs)} to ${ms(large.baselineMs)}`;
  return figure("plan: growth from 1,000 to 100,000 steps against the loop's", ratio, 1.5, note);
}

async function oneAction(): Promise<Figure> {
  const work = workload(1);
  const taken: number[] = [];
  for (let round = 0; round < 101; round++) {
    const start = performance.now();
    await planned(work);
    taken.push(performance.now() - start);
  }
  return figure("plan: one action, over 1 ms", median(taken), 1, `median ${ms(median(taken))}`);
}

function validation(): readonly Figure[] {
  const [hundred, thousand] = [workload(100), workload(1000)];
  const validateMs = typical(() => validateWorkflowDefinition(DEFINITION, hundred.steps));
  const orderMs = typical(() => getExecutionOrder(thousand.steps));
  return [
    figure("plan: validation of 100 steps, over 10 ms", validateMs / 10, 1, `median ${ms(validateMs)}`),
    figure("plan: order of 1,000 steps, over 5 ms", orderMs / 5, 1, `median ${ms(orderMs)}`),
  ];
}

function typical(work: () => unknown): number {
  const taken = Array.from({ length: 101 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return median(taken);
}

/** The bytes that a plan keeps for each step. The ids exist before, like those of the steps. */
function memory(many: Workload): Figure {
  const keep: unknown[] = [];
  const before = heap();
  for (let round = 0; round < 3; round++) keep.push(planned(many));
  const bytes = (heap() - before) / keep.length / many.steps.length;
  return figure("plan: bytes of a plan a step, over 1 KB", bytes / 1024, 1, `${bytes.toFixed(0)} bytes`);
}

function heap(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc, as `npm run bench` does");
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
