// One seed: a plan that is run with crashes, and the claims that must hold. If only crashes make a difference, the plan
// is also run without them, and the same tasks must be completed.

import { createHash } from "node:crypto";
import { completedTasks } from "../../src/executor/workflow-progress.ts";
import { findBrokenClaim } from "./landing-claims.ts";
import { makeLandingPlan, type LandingPlan } from "./landing-plan.ts";
import { LandingClaimBroken, LandingRun } from "./landing-run.ts";

export interface LandingResult {
  readonly seed: number;
  readonly trace: string;
  readonly tasks: number;
  readonly crashes: number;
  readonly failure: string | undefined;
  readonly log: readonly string[];
}

export async function simulateLandings(seed: number, isLogged = false): Promise<LandingResult> {
  const plan = makeLandingPlan(seed);
  const hash = createHash("sha256");
  const log: string[] = [];
  const run = new LandingRun(plan, plan.crashesMax, (line) => {
    hash.update(line);
    if (isLogged) log.push(line);
  });
  if (isLogged) log.push(JSON.stringify(plan, null, 1));
  const failure = (await findFailure(run)) ?? (await findDifference(plan, run));
  hash.update(failure ?? "");
  return { seed, trace: hash.digest("hex"), tasks: run.tasks, crashes: run.crashes, failure, log };
}

async function findDifference(plan: LandingPlan, run: LandingRun): Promise<string | undefined> {
  if (!plan.isComparable || run.crashes === 0) return undefined;
  const calm = new LandingRun(plan, 0, () => undefined);
  const failure = await findFailure(calm);
  if (failure !== undefined) return `without crashes: ${failure}`;
  const [expected, found] = [ends(calm), ends(run)];
  return expected === found ? undefined : `K7 a run without crashes ends with ${expected}, this one with ${found}`;
}

function ends({ reports }: LandingRun): string {
  return JSON.stringify([...reports].map(([id, report]) => [id, report.status, completedTasks(report)]));
}

async function findFailure(run: LandingRun): Promise<string | undefined> {
  let rejection: string | undefined;
  const onRejection = (error: unknown): void => void (rejection ??= `a promise was rejected: ${describe(error)}`);
  const { now } = Date;
  process.on("unhandledRejection", onRejection);
  // The times of commits come from the clock of the world, so that a seed has the same commits every time.
  Date.now = () => run.nowMs;
  try {
    await run.run();
    return rejection ?? findBrokenClaim(run);
  } catch (error) {
    return error instanceof LandingClaimBroken ? error.message : `the run threw: ${describe(error)}`;
  } finally {
    Date.now = now;
    run.close();
    process.off("unhandledRejection", onRejection);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
