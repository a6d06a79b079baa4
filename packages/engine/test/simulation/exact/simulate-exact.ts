// One seed without faults: the engine and the reference model get the same plan, and must produce the same facts.
//
//   Q1. Every execution has the predicted facts, each at its time: starts, ends, retries, waits, stops, compensations.
//   Q2. Every action of the user gets the predicted answer: joined, refused, ignored, and the reason.
//   Q3. Every attempt is called at its time, in elapsed time and not by the wall clock, with the predicted input. All
//       attempts of a step have one token (IDEM-4).
//   Q4. Ended executions are kept for their retention time, and at most a minute longer (JOURNAL-7).

import { createHash } from "node:crypto";
import { Coverage } from "../coverage.ts";
import type { SimulationOptions } from "../simulation-options.ts";
import type { SimulationResult } from "../simulation.ts";
import type { ActorCall } from "./actor.ts";
import { firstDifference, inputDifference } from "./differences.ts";
import { EngineRun, type EngineFacts } from "./engine-run.ts";
import { END_MS } from "./times.ts";
import type { ModelExecution } from "./model/model-execution.ts";
import { ReferenceModel } from "./model/reference-model.ts";
import { withLateStarts } from "./late-starts.ts";
import { readOutcome } from "./outcome.ts";
import { makePlan, type Plan } from "./plan.ts";

const TASKS_MAX = 20_000;
/** IDEM-3, JOURNAL-7: the interval of sweeps, plus their duration. */
const SWEEP_MS = 61_000;

export async function simulateExact(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const plan = withLateStarts(makePlan(seed));
  const model = new ReferenceModel(plan);
  const hash = createHash("sha256");
  const log: string[] = [];
  let tasks = 0;
  const run = new EngineRun(plan, ({ label }, now) => {
    if (++tasks > TASKS_MAX) throw new Error(`more than ${TASKS_MAX} tasks: something goes round for ever`);
    hash.update(`${now} ${label}`);
  });
  const coverage = new Coverage();
  const failure = await compare(plan, model, run, coverage, options.isLogged === true ? log : undefined);
  hash.update(failure ?? "");
  return { seed, coverage, failure, trace: hash.digest("hex"), tasks, log };
}

async function compare(
  plan: Plan,
  model: ReferenceModel,
  run: EngineRun,
  coverage: Coverage,
  log: string[] | undefined,
): Promise<string | undefined> {
  try {
    model.runUntil(END_MS);
    const engine = await run.run(END_MS);
    log?.push(...logLines(plan, model, engine));
    coverage.count(`exact ${model.doubt === undefined ? "compared" : "in doubt"}`);
    return (
      (model.doubt === undefined ? difference(plan, model, engine) : undefined) ?? (await tooLong(model, run, plan))
    );
  } catch (error) {
    return `the exact run threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  } finally {
    await run.close();
  }
}

function difference(plan: Plan, model: ReferenceModel, engine: EngineFacts): string | undefined {
  return (
    firstDifference("Q2 the answers", model.answers, engine.answers) ??
    firstDifference(
      "Q1 the executions",
      [...model.executions.keys()].toSorted(),
      [...engine.facts.keys()].toSorted(),
    ) ??
    factDifference(model, engine, plan.clockJumps.length === 0 ? inTime : readOutcome) ??
    firstDifference("Q3 the calls", modelCalls(model), engine.calls.map(callLine).toSorted(byTime)) ??
    inputDifference(model, engine.calls)
  );
}

type Ordered = (facts: readonly string[]) => readonly string[];

function factDifference(model: ReferenceModel, engine: EngineFacts, order: Ordered): string | undefined {
  for (const [id, { facts }] of model.executions) {
    const found = firstDifference(`Q1 ${id}`, order(facts), order(engine.facts.get(id) ?? []));
    if (found !== undefined) return found;
  }
  return undefined;
}

function modelCalls(model: ReferenceModel): readonly string[] {
  const calls = [...model.executions.values()].flatMap(({ id, attempts }) =>
    attempts.calls.map((call) => callLine({ ...call, execution: id })),
  );
  return calls.toSorted(byTime);
}

function callLine({ atMs, execution, step, attempt }: Omit<ActorCall, "input" | "token">): string {
  return `${atMs} attempt ${attempt} of ${execution} ${step}`;
}

function inTime(facts: readonly string[]): readonly string[] {
  return facts.toSorted(byTime);
}

function byTime(left: string, right: string): number {
  const apartMs = Number.parseInt(left, 10) - Number.parseInt(right, 10);
  if (apartMs !== 0) return apartMs;
  return left < right ? -1 : left === right ? 0 : 1;
}

/** Q4. Unfinished executions may end meanwhile, so the model continues as well. */
async function tooLong(model: ReferenceModel, run: EngineRun, { retentionMs }: Plan): Promise<string | undefined> {
  if (model.doubt !== undefined || retentionMs === undefined) return undefined;
  const ended = [...model.executions.values()].filter(({ hasEnded }) => hasEnded);
  const endMs = END_MS + retentionMs + SWEEP_MS;
  await run.goOn(endMs - END_MS);
  model.runUntil(endMs);
  const kept = await run.kept();
  const left = ended.find(({ id }) => kept.includes(id));
  if (left !== undefined) return `Q4 ${left.id} is kept for longer than ${retentionMs} ms`;
  if (model.doubt !== undefined) return undefined;
  const isDue = ({ hasEnded, endedAtMs }: ModelExecution): boolean => hasEnded && endedAtMs + retentionMs <= endMs;
  const gone = [...model.executions.values()].find((each) => !isDue(each) && !kept.includes(each.id));
  return gone === undefined ? undefined : `Q4 ${gone.id} is removed, and has not ended so long ago`;
}

function logLines(plan: Plan, model: ReferenceModel, engine: EngineFacts): readonly string[] {
  const lines = [
    `limits ${JSON.stringify(plan.limits)}`,
    ...plan.workflows.map((workflow) => JSON.stringify(workflow)),
  ];
  plan.deeds.forEach((deed, index) =>
    lines.push(`${JSON.stringify(deed)}: ${model.answers[index]} | ${engine.answers[index]}`),
  );
  for (const [id, { facts }] of model.executions) {
    lines.push(`model ${id}`, ...facts.toSorted(byTime).map((fact) => `  ${fact}`));
    lines.push(`engine ${id}`, ...(engine.facts.get(id) ?? []).toSorted(byTime).map((fact) => `  ${fact}`));
  }
  return [...lines, `doubt ${model.doubt ?? "none"}`];
}
