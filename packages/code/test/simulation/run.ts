// npm run sim:code -- [--seeds N] [--first N] [--step N] [--seed S] [--keep] [--quiet] [--log]
//
// Runs seeds up to the first failure, or all of them with `--keep`. `--seed` runs one seed twice; `--log` prints it.

import { parseArgs } from "node:util";
import { simulateLandings } from "./simulate-landings.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
    seed: { type: "string" },
    keep: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
  },
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function one(seed: number): Promise<boolean> {
  const first = await simulateLandings(seed, true);
  const second = await simulateLandings(seed);
  if (values.log) print(first.log.join("\n"));
  if (first.trace !== second.trace) print(`seed ${seed}: two runs have different traces`);
  print(`seed ${seed}: ${first.failure ?? `${first.tasks} tasks, ${first.crashes} crashes, nothing broken`}`);
  return first.failure === undefined && first.trace === second.trace;
}

async function many(first: number, count: number, step: number): Promise<boolean> {
  const began = performance.now();
  let failed = 0;
  let crashes = 0;
  for (let seed = first; seed < first + count * step; seed += step) {
    const result = await simulateLandings(seed);
    crashes += result.crashes;
    if (result.failure === undefined) continue;
    failed++;
    print(`seed ${seed}: ${result.failure.slice(0, 2000)}\n  repeat it with: npm run sim:code -- --seed ${seed} --log`);
    if (!values.keep) break;
  }
  const seconds = (performance.now() - began) / 1000;
  if (!values.quiet)
    print(`${count} seeds, ${crashes} crashes, ${failed} failed, ${(count / seconds).toFixed(0)} seeds/s`);
  return failed === 0;
}

const isGood =
  values.seed === undefined
    ? await many(Number(values.first), Number(values.seeds), Number(values.step))
    : await one(Number(values.seed));
process.exitCode = isGood ? 0 : 1;
