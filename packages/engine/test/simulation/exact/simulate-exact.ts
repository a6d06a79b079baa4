// One seed without faults: the engine and the reference model are given the same plan, and must give the same facts.
//
//   Q1. Every execution has the facts that the model predicts, each at its time: starts, ends, retries, waits, stops, undoings.
//   Q2. Every deed is answered as the model says: joined, refused, ignored and why.
//   Q3. Every attempt is called with the input that the model knows, and all attempts of a step with one token (IDEM-4).
//   Q4. Ended executions are kept for as long as they are to be, and not a minute longer (JOURNAL-7).

import { createHash } from "node:crypto";
import { Coverage } from "../coverage.ts";
import type { SimulationOptions } from "../simulate.ts";
import type { SimulationResult } from "../simulation.ts";
import { EngineRun, type EngineCall, type EngineFacts } from "./engine-run.ts";
import { END_MS } from "./times.ts";
import { ReferenceModel } from "./model/reference-model.ts";
import { withLateStarts } from "./late-starts.ts";
import { makePlan, type Plan } from "./plan.ts";

/** IDEM-3, JOURNAL-7: how often what is over is removed, and what that may take. */
const SWEEP_MS = 61_000;

export async function simulateExact(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const plan = withLateStarts(makePlan(seed));
  const model = new ReferenceModel(plan);
  const hash = createHash("sha256");
  const log: string[] = [];
  let tasks = 0;
  const run = new EngineRun(plan, ({ label }, now) => {
    tasks++;
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
    return (model.doubt === undefined ? difference(model, engine) : undefined) ?? (await tooLong(model, run, plan));
  } catch (error) {
    return `the exact run threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  } finally {
    await run.close();
  }
}

function difference(model: ReferenceModel, engine: EngineFacts): string | undefined {
  return (
    firstDifference("Q2 the answers", model.answers, engine.answers) ??
    firstDifference(
      "Q1 the executions",
      [...model.executions.keys()].toSorted(),
      [...engine.facts.keys()].toSorted(),
    ) ??
    factDifference(model, engine) ??
    callDifference(model, engine.calls)
  );
}

function factDifference(model: ReferenceModel, engine: EngineFacts): string | undefined {
  for (const [id, { facts }] of model.executions) {
    const found = firstDifference(`Q1 ${id}`, facts.toSorted(byTime), (engine.facts.get(id) ?? []).toSorted(byTime));
    if (found !== undefined) return found;
  }
  return undefined;
}

function byTime(left: string, right: string): number {
  const apartMs = Number.parseInt(left, 10) - Number.parseInt(right, 10);
  if (apartMs !== 0) return apartMs;
  return left < right ? -1 : left === right ? 0 : 1;
}

function firstDifference(what: string, expected: readonly string[], found: readonly string[]): string | undefined {
  const length = Math.max(expected.length, found.length);
  for (let index = 0; index < length; index++)
    if (expected[index] !== found[index])
      return `${what} differ: expected \`${expected[index] ?? "nothing more"}\`, found \`${found[index] ?? "nothing more"}\``;
  return undefined;
}

/** Q3. */
function callDifference(model: ReferenceModel, calls: readonly EngineCall[]): string | undefined {
  const tokens = new Map<string, string>();
  for (const { execution, step, attempt, input, token } of calls) {
    const place = `${execution} ${step}`;
    const expected = model.executions
      .get(execution)
      ?.attempts.calls.find((call) => call.step === step && call.attempt === attempt);
    if (expected?.input !== undefined && JSON.stringify(expected.input) !== JSON.stringify(input))
      return `Q3 attempt ${attempt} of ${place} has the input ${JSON.stringify(input)}, not ${JSON.stringify(expected.input)}`;
    if (tokens.has(place) && tokens.get(place) !== token) return `Q3 attempt ${attempt} of ${place} has another token`;
    tokens.set(place, token);
  }
  return new Set(tokens.values()).size === tokens.size ? undefined : "Q3 two steps have one token";
}

/** Q4. */
async function tooLong(model: ReferenceModel, run: EngineRun, { retentionMs }: Plan): Promise<string | undefined> {
  if (model.doubt !== undefined || retentionMs === undefined) return undefined;
  const ended = [...model.executions.values()].filter(({ hasEnded }) => hasEnded);
  await run.goOn(retentionMs + SWEEP_MS);
  const kept = await run.kept();
  const left = ended.find(({ id }) => kept.includes(id));
  return left === undefined ? undefined : `Q4 ${left.id} is kept for longer than ${retentionMs} ms`;
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
