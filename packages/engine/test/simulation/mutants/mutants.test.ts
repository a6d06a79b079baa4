import { describe, expect, it } from "vitest";
import { simulate } from "../simulate.ts";
import { MECHANISMS, MUTANTS } from "./mechanisms.ts";
import { withCopies } from "./planted-copy.ts";
import seeds from "./seeds.json" with { type: "json" };

const SEEDS: Readonly<Record<string, number>> = seeds;
/** A bug that takes more seeds than this to be seen is not one that the simulator finds. */
const SEEDS_MAX = 2000;

/** Bounded by the number of seeds, not by the time that a busy machine takes for them. */
const PATIENCE = { timeout: 0 };

describe("planted bugs", () => {
  it("are at least 60, over all mechanisms, each with the seed that shows it", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(MECHANISMS).length).toBeGreaterThanOrEqual(10);
    expect(Object.keys(SEEDS).toSorted()).toEqual(MUTANTS.map(({ name }) => name).toSorted());
    expect(Object.values(SEEDS).filter((seed) => seed > SEEDS_MAX)).toEqual([]);
  });

  it("are caught, each by its seed", PATIENCE, async () => {
    const verdicts = await withCopies(MUTANTS, (copy, mutant) =>
      copy.verdictOn(mutant, { first: SEEDS[mutant.name]!, count: 1, step: 1 }),
    );
    expect(verdicts.filter(({ seed }) => seed === undefined)).toEqual([]);
  });

  it("are all that these seeds find: without them nothing is broken", PATIENCE, async () => {
    for (const seed of new Set(Object.values(SEEDS)))
      expect((await simulate(seed)).failure, `seed ${seed}`).toBeUndefined();
  });
});
