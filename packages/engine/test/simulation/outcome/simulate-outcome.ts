// One seed with faults and a known outcome: despite faults of processes and stores, each step ends as the reference
// model predicts, with the same number of attempts and for the same reason.
//
//   P1. The original has the outcome of a run without faults (JOURNAL-3).
//   P2. So has a copy that was opened beside it, for everything in it; and the original is not affected.
//   P3. Foreign rows are quarantined, and none of their steps is ever called (JOURNAL-6).
//   P4. Every attempt has the predicted input; all attempts of a step have one token, in every process (IDEM-4).

import { createHash } from "node:crypto";
import { Coverage } from "../coverage.ts";
import { firstDifference, inputDifference } from "../exact/differences.ts";
import { ReferenceModel } from "../exact/model/reference-model.ts";
import { readOutcome } from "../exact/outcome.ts";
import { END_MS } from "../exact/times.ts";
import type { SimulationResult } from "../simulation.ts";
import type { SimulationOptions } from "../simulation-options.ts";
import { OutcomeRun, type Site } from "./outcome-run.ts";
import { PLANTED } from "./planted-rows.ts";
import { makeTimelessPlan } from "./timeless-plan.ts";

const TASKS_MAX = 60_000;

export async function simulateOutcome(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const plan = makeTimelessPlan(seed);
  const hash = createHash("sha256");
  const coverage = new Coverage();
  const log: string[] = [];
  let tasks = 0;
  const run = new OutcomeRun(plan, ({ label }, now) => {
    if (++tasks > TASKS_MAX) throw new Error(`more than ${TASKS_MAX} tasks: something goes round for ever`);
    hash.update(`${now} ${label}`);
    if (options.isLogged === true) log.push(`${now} ${label}`);
  });
  const model = new ReferenceModel(plan);
  const failure = await compare(model, run, coverage, log);
  hash.update(failure ?? "");
  return { seed, coverage, failure, trace: hash.digest("hex"), tasks, log };
}

async function compare(
  model: ReferenceModel,
  run: OutcomeRun,
  coverage: Coverage,
  log: string[],
): Promise<string | undefined> {
  try {
    model.runUntil(3 * END_MS);
    await run.run();
    count(run, coverage);
    log.push(...(await logLines(model, run)));
    return (
      (await siteDifference(model, run, run.original)) ??
      (run.copy === undefined ? undefined : await siteDifference(model, run, run.copy)) ??
      (await plantedDifference(run))
    );
  } catch (error) {
    return `the run threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  } finally {
    await run.close();
  }
}

function count(run: OutcomeRun, coverage: Coverage): void {
  for (const [kind, times] of run.original.disk.counts) coverage.count(`fault ${kind}`, times);
  if (run.copy !== undefined) coverage.count("trouble store copied");
  if (run.hasPlanted) coverage.count("trouble store planted");
  coverage.count("outcome compared");
}

/** P1, P2, P4. */
async function siteDifference(model: ReferenceModel, run: OutcomeRun, site: Site): Promise<string | undefined> {
  const found = await run.factsOf(site);
  const isOriginal = site === run.original;
  for (const [id, { facts }] of model.executions) {
    if (!found.has(id) && !isOriginal) continue;
    const different = firstDifference(
      `${isOriginal ? "P1" : "P2"} ${site.name} ${id}`,
      readOutcome(facts),
      readOutcome(found.get(id) ?? []),
    );
    if (different !== undefined) return different;
  }
  return inputDifference(model, site.actor.calls);
}

/** P3. */
async function plantedDifference(run: OutcomeRun): Promise<string | undefined> {
  if (!run.hasPlanted) return undefined;
  for (const id of [`${PLANTED}-0`, `${PLANTED}-1`])
    if (!(await run.isSetAside(id))) return `P3 ${id} is not set aside`;
  const called = run.original.actor.calls.find(({ execution }) => execution.startsWith(PLANTED));
  return called === undefined ? undefined : `P3 a step of ${called.execution} is called`;
}

async function logLines(model: ReferenceModel, run: OutcomeRun): Promise<readonly string[]> {
  const lines: string[] = [];
  const found = await run.factsOf(run.original);
  for (const [id, { facts }] of model.executions)
    lines.push(`model ${id}`, ...readOutcome(facts), `engine ${id}`, ...(found.get(id) ?? []));
  return lines;
}
