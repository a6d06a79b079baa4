// npm run sim -- [--seeds N] [--seed S] [--first N] [--step N] [--only faults|exact|outcome|calls] [--keep] [--quiet] [--log]
//
// Runs seeds and prints their coverage, up to the first failure, or all of them with `--keep`. `--seed` runs one seed
// twice, and prints its log if it fails. `--only` runs all seeds in one of the ways of `simulate.ts`.

import { parseArgs } from "node:util";
import { Coverage } from "./coverage.ts";
import { simulateExact } from "./exact/simulate-exact.ts";
import { simulateOutcome } from "./outcome/simulate-outcome.ts";
import { simulate, simulateCalls, simulateFaults } from "./simulate.ts";
import type { SimulationResult } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
    seed: { type: "string" },
    only: { type: "string", default: "all" },
    keep: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
  },
});

const KINDS: Readonly<Record<string, typeof simulate>> = {
  all: simulate,
  exact: simulateExact,
  faults: simulateFaults,
  outcome: simulateOutcome,
  calls: simulateCalls,
};
const run = KINDS[values.only] ?? simulate;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report({ seed, failure }: SimulationResult): void {
  print(`seed ${seed}: ${(failure ?? "").slice(0, 3000)}\n  repeat it with: npm run sim -- --seed ${seed} --log`);
}

async function one(seed: number): Promise<boolean> {
  const first = await run(seed, { isLogged: true });
  const second = await run(seed);
  if (values.log) print(first.log.join("\n"));
  if (first.trace !== second.trace) print(`seed ${seed}: two runs have different traces`);
  if (first.failure !== undefined) report(first);
  else print(`seed ${seed}: ${first.tasks} tasks, nothing broken, trace ${first.trace.slice(0, 16)}`);
  return first.failure === undefined && first.trace === second.trace;
}

async function many(first: number, count: number, step: number): Promise<boolean> {
  const coverage = new Coverage();
  const began = performance.now();
  let failed = 0;
  let tasks = 0;
  for (let seed = first; seed < first + count * step; seed += step) {
    const result = await run(seed);
    coverage.add(result.coverage.counts);
    tasks += result.tasks;
    if (result.failure === undefined) continue;
    failed++;
    report(result);
    if (!values.keep) break;
  }
  const seconds = (performance.now() - began) / 1000;
  if (!values.quiet) print(coverage.table());
  print(`${count} seeds, ${tasks} tasks, ${failed} failed, ${(count / seconds).toFixed(0)} seeds/s`);
  if (coverage.missed.length > 0 && !values.quiet) print(`missed: ${coverage.missed.join("; ")}`);
  return failed === 0;
}

const isGood =
  values.seed === undefined
    ? await many(Number(values.first), Number(values.seeds), Number(values.step))
    : await one(Number(values.seed));
process.exitCode = isGood ? 0 : 1;
