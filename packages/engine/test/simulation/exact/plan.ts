// The plan of an exact run: workflows, limits, and what a user does when. The seed makes all of it before anything runs, so that
// the engine and the reference model are given the same.

import type { Definition } from "@segno/kernel";
import { Chance } from "../../../src/testing/chance.ts";
import { planDeeds, type Deed } from "./deeds.ts";
import { makeDefinitions } from "./definitions.ts";

export interface Limits {
  readonly slots: number;
  readonly perAgent: number;
}

export interface Plan {
  readonly seed: number;
  readonly limits: Limits;
  readonly workflows: readonly Definition[];
  readonly deeds: readonly Deed[];
  /** For how long ended executions are kept; for ever when it is absent. */
  readonly retentionMs?: number;
}

export function makePlan(seed: number): Plan {
  const chance = new Chance(seed ^ 0xe4ac7);
  const workflows = makeDefinitions(chance);
  const limits = { slots: chance.of([1, 2, 3, 10, 10]), perAgent: chance.of([1, 2, 3, 3]) };
  const deeds = planDeeds(chance, workflows);
  return { seed, limits, workflows, deeds, ...(chance.percent(25) ? { retentionMs: 5_000_000 } : {}) };
}
