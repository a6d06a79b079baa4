// npm run sim:code-mutants -- [--name TEXT] [--write]
//
// Finds the first of 300 seeds that detects each planted bug. `--write` stores them in `seeds.json`, which `npm test`
// uses.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { withCopies } from "@segno/engine/testing";
import { CODE_MUTANTS, CODE_WORKSPACE } from "./code-workspace.ts";
import seeds from "./seeds.json" with { type: "json" };

const SEEDS_MAX = 300;

const { values } = parseArgs({ options: { name: { type: "string" }, write: { type: "boolean", default: false } } });
const meant = CODE_MUTANTS.filter(({ name }) => values.name === undefined || name.includes(values.name));
const found = await withCopies(CODE_WORKSPACE, meant, async (copy, mutant) => {
  const verdict = await copy.verdictOn(mutant, { first: 1, count: SEEDS_MAX, step: 1 });
  process.stdout.write(`${String(verdict.seed ?? "-").padStart(6)}  ${verdict.name}: ${verdict.claim}\n`);
  return verdict;
});

if (values.write) {
  const names = new Set(CODE_MUTANTS.map(({ name }) => name));
  const kept = Object.entries(seeds).filter(([name]) => names.has(name));
  const next = found.flatMap(({ name, seed }) => (seed === undefined ? [] : [[name, seed] as const]));
  const sorted = [...new Map([...kept, ...next])].toSorted(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(new URL("seeds.json", import.meta.url), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
const missed = found.filter(({ seed }) => seed === undefined);
process.stdout.write(`${found.length - missed.length} of ${found.length} are caught within ${SEEDS_MAX} seeds\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
