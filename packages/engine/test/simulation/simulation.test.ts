import { describe, expect, it } from "vitest";
import { Coverage, UNREACHABLE } from "./coverage.ts";
import { simulateExact } from "./exact/simulate-exact.ts";
import { REGRESSIONS } from "./regressions.ts";
import { simulate, simulateFaults } from "./simulate.ts";

/** About a minute of one core. */
const SEEDS = Number(process.env["SEGNO_SIM_SEEDS"] ?? "5000");
const SLICE = 500;

const coverage = new Coverage();

async function listClaims(seed: number, run: typeof simulate = simulate): Promise<string | undefined> {
  const { failure, coverage: met } = await run(seed);
  coverage.add(met.counts);
  return failure === undefined
    ? undefined
    : `seed ${seed}: ${failure}\nrepeat it with: npm run sim -- --seed ${seed} --log`;
}

describe("the simulation", () => {
  it.each(REGRESSIONS)("seed $seed holds: $was", async ({ seed, way }) => {
    expect(await listClaims(seed, way === "exact" ? simulateExact : simulateFaults)).toBeUndefined();
  });

  it("STATE-11 a seed that is run twice has the same trace", async () => {
    for (let seed = 1; seed <= SEEDS / 100; seed++) {
      const [first, second] = [await simulate(seed), await simulate(seed)];
      expect(first.trace, `seed ${seed}`).toBe(second.trace);
    }
  });

  for (let first = 1; first <= SEEDS; first += SLICE) {
    const last = Math.min(first + SLICE - 1, SEEDS);
    it(`JOURNAL-3 LEASE-5 seeds ${first} to ${last} break no claim`, async () => {
      for (let seed = first; seed <= last; seed++) expect(await listClaims(seed)).toBeUndefined();
    });
  }

  it("meets every transition, fault and behaviour that it can", () => {
    process.stdout.write(`${coverage.table()}\n`);
    expect(coverage.surprises, "said to be out of reach").toEqual([]);
    expect(coverage.missed).toEqual([]);
    expect(UNREACHABLE.size).toBeLessThan(10);
  });
});
