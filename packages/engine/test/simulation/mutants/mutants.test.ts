import { describe, expect, it } from "vitest";
import { simulate } from "../simulate.ts";
import { ENGINE_WORKSPACE } from "./engine-workspace.ts";
import { MECHANISMS, MUTANTS } from "./mechanisms.ts";
import type { Mutant } from "../../../src/testing/mutant.ts";
import { withCopies, type PlantedCopy, type Verdict } from "../../../src/testing/planted-copy.ts";
import seeds from "./seeds.json" with { type: "json" };

const SEEDS: Readonly<Record<string, number>> = seeds;
/** A bug that needs more seeds than this counts as undetected. */
const SEEDS_MAX = 2000;

/** Bounded by the number of seeds, not by time on a busy machine. */
const PATIENCE = { timeout: 0 };

/** The recorded seed only saves time. A change of the engine may change its meaning; then the other seeds are tried. */
async function verdictOn(copy: PlantedCopy, mutant: Mutant): Promise<Verdict> {
  const verdict = await copy.verdictOn(mutant, { first: SEEDS[mutant.name]!, count: 1, step: 1 });
  return verdict.seed === undefined ? copy.verdictOn(mutant, { first: 1, count: SEEDS_MAX, step: 1 }) : verdict;
}

describe("planted bugs", () => {
  it("are at least 60, over all mechanisms, each with the seed that shows it", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(MECHANISMS).length).toBeGreaterThanOrEqual(10);
    expect(Object.keys(SEEDS).toSorted()).toEqual(MUTANTS.map(({ name }) => name).toSorted());
    expect(Object.values(SEEDS).filter((seed) => seed > SEEDS_MAX)).toEqual([]);
  });

  it(`are caught within ${SEEDS_MAX} seeds, each by its recorded seed or by another`, PATIENCE, async () => {
    const verdicts = await withCopies(ENGINE_WORKSPACE, MUTANTS, verdictOn);
    const stale = verdicts.filter(({ name, seed }) => seed !== SEEDS[name]).map(({ name }) => name);
    if (stale.length > 0)
      process.stdout.write(`npm run sim:mutants -- --write finds new seeds for: ${stale.join("; ")}\n`);
    expect(verdicts.filter(({ seed }) => seed === undefined)).toEqual([]);
  });

  it("are all that these seeds find: without them nothing is broken", PATIENCE, async () => {
    for (const seed of new Set(Object.values(SEEDS)))
      expect((await simulate(seed)).failure, `seed ${seed}`).toBeUndefined();
  });
});
