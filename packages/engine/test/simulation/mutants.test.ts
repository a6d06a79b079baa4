import { describe, expect, it } from "vitest";
import { MUTANTS, verdictOn, type Mutant, type Verdict } from "./mutants.ts";

const SEEDS_MAX = 2000;

/** Two at a time: there are two cores. */
async function verdicts(mutants: readonly Mutant[]): Promise<readonly Verdict[]> {
  const waiting = [...mutants];
  const found: Verdict[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
      found.push(await verdictOn(mutant, SEEDS_MAX));
  };
  await Promise.all([work(), work()]);
  return found;
}

describe("the simulator's teeth", () => {
  it(`every planted bug is caught within ${SEEDS_MAX} seeds`, { timeout: 180_000 }, async () => {
    const found = await verdicts(MUTANTS);
    const table = found.map(({ name, seed, claim }) => `${String(seed ?? "-").padStart(6)}  ${name}: ${claim}`);
    process.stdout.write(`planted bugs and the first seed that shows each\n${table.join("\n")}\n`);
    expect(found.filter(({ seed }) => seed === undefined)).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(10);
  });
});
