import { withCopies, type Mutant, type PlantedCopy, type Verdict } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { CODE_MUTANTS, CODE_WORKSPACE } from "./code-workspace.ts";
import seeds from "./seeds.json" with { type: "json" };

const SEEDS: Readonly<Record<string, number>> = seeds;
/** A bug that needs more seeds than this counts as undetected. */
const SEEDS_MAX = 300;

/** Bounded by the number of seeds, not by time on a busy machine. */
const PATIENCE = { timeout: 0 };

/** The recorded seed only saves time. A change of the code may change its meaning; then the other seeds are tried. */
async function verdictOn(copy: PlantedCopy, mutant: Mutant): Promise<Verdict> {
  const verdict = await copy.verdictOn(mutant, { first: SEEDS[mutant.name]!, count: 1, step: 1 });
  return verdict.seed === undefined ? copy.verdictOn(mutant, { first: 1, count: SEEDS_MAX, step: 1 }) : verdict;
}

describe("planted bugs of landing", () => {
  it("have a seed each that shows them", () => {
    expect(Object.keys(SEEDS).toSorted()).toEqual(CODE_MUTANTS.map(({ name }) => name).toSorted());
    expect(Object.values(SEEDS).filter((seed) => seed > SEEDS_MAX)).toEqual([]);
  });

  it(`CODE-6 are caught within ${SEEDS_MAX} seeds, each by its recorded seed or by another`, PATIENCE, async () => {
    const verdicts = await withCopies(CODE_WORKSPACE, CODE_MUTANTS, verdictOn);
    const stale = verdicts.filter(({ name, seed }) => seed !== SEEDS[name]).map(({ name }) => name);
    if (stale.length > 0)
      process.stdout.write(`npm run sim:code-mutants -- --write finds new seeds for: ${stale.join("; ")}\n`);
    expect(verdicts.filter(({ seed }) => seed === undefined)).toEqual([]);
  });
});
