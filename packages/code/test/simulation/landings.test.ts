import { describe, expect, it } from "vitest";
import { makeLandingPlan } from "./landing-plan.ts";
import { LandingRun } from "./landing-run.ts";
import { simulateLandings } from "./simulate-landings.ts";

/** A few seconds of one core. `npm run sim:code` runs 1,000. */
const SEEDS = Number(process.env["SEGNO_SIM_CODE_SEEDS"] ?? "50");
const SLICE = 25;

/** Bounded by the number of seeds, not by time on a busy machine. */
const PATIENCE = { timeout: 0 };

let crashes = 0;

async function findClaim(seed: number): Promise<string | undefined> {
  const result = await simulateLandings(seed);
  crashes += result.crashes;
  return result.failure === undefined
    ? undefined
    : `seed ${seed}: ${result.failure}\nrepeat it with: npm run sim:code -- --seed ${seed} --log`;
}

describe("the simulation of landings", () => {
  it("CODE-6 a seed that is run twice has the same trace", PATIENCE, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const [first, second] = [await simulateLandings(seed), await simulateLandings(seed)];
      expect(first.trace, `seed ${seed}`).toBe(second.trace);
    }
  });

  for (let first = 1; first <= SEEDS; first += SLICE) {
    const last = Math.min(first + SLICE - 1, SEEDS);
    it(
      `CODE-5 CODE-6 CODE-7 CODE-9 CODE-10 seeds ${first} to ${last} land every task once, with crashes`,
      PATIENCE,
      async () => {
        for (let seed = first; seed <= last; seed++) expect(await findClaim(seed)).toBeUndefined();
      },
    );
  }

  it(
    "CODE-7 a base that stays broken through twelve resumes pauses after each, and fails no task",
    PATIENCE,
    async () => {
      const plan = { ...makeLandingPlan(181), baseRepairedAt: 12 };
      const run = new LandingRun(plan, 0, () => undefined);
      const { now } = Date;
      Date.now = (): number => run.nowMs;
      try {
        await run.run();
      } finally {
        Date.now = now;
        run.close();
      }
      expect(run.person.resumes.get("two")).toBe(12);
      expect(run.reports.get("two")!.status).toBe("completed");
      const names = run.reports.get("two")!.steps.map(({ name }) => name);
      expect(names.filter((name) => name.split("/").length > 3)).toEqual([]);
    },
  );

  it("has more crashes than seeds", () => {
    expect(crashes).toBeGreaterThan(SEEDS);
  });
});
