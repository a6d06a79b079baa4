// The plan of an exact run: workflows, limits, and the timed actions of a user. The seed generates all of it in
// advance, so that the engine and the reference model get the same plan.

import type { Definition } from "@segno/kernel";
import { Random } from "../../../src/testing/random.ts";
import { withTurns } from "../turns.ts";
import { planDeeds, planMessages, type Deed } from "./deeds.ts";
import { makeDefinitions } from "./definitions.ts";
import { SLICE_MS } from "./times.ts";

export interface Limits {
  readonly slots: number;
  readonly perAgent: number;
}

export interface ClockJump {
  readonly atMs: number;
  readonly byMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly limits: Limits;
  readonly workflows: readonly Definition[];
  readonly deeds: readonly Deed[];
  /** How the wall clock is set; elapsed time is not affected. */
  readonly clockJumps: readonly ClockJump[];
  /** The retention of ended executions; without it, they are kept for ever. */
  readonly retentionMs?: number;
}

export function makePlan(seed: number): Plan {
  const chance = new Random(seed ^ 0xe4ac7);
  const workflows = turned(seed, makeDefinitions(chance));
  const limits = { slots: chance.pick([1, 2, 3, 10, 10]), perAgent: chance.pick([1, 2, 3, 3]) };
  const clockJumps = planClockJumps(new Random(seed ^ 0xc10c));
  const all = [...planDeeds(chance, workflows), ...planMessages(new Random(seed ^ 0x3e55a), workflows)].toSorted(
    (left, right) => left.atMs - right.atMs,
  );
  // If the clock was set back, a backoff that ends during a pause is waited for again after it, and the model cannot
  // predict that time.
  const deeds = clockJumps.length === 0 ? all : all.filter(({ kind }) => kind !== "pause");
  const isKept = chance.percent(25) && clockJumps.length === 0;
  return { seed, limits, workflows, deeds, clockJumps, ...(isKept ? { retentionMs: 5_000_000 } : {}) };
}

/** Uses its own random generator and only some seeds, so that other seeds keep their meaning. */
function turned(seed: number, workflows: readonly Definition[]): readonly Definition[] {
  if (![0, 4, 5, 6].includes(seed % 7)) return workflows;
  const chance = new Random(seed ^ 0x7e125);
  return workflows.map((workflow) => withTurns(workflow, chance));
}

/** Uses its own random generator, so that the rest of a plan does not depend on it. */
function planClockJumps(chance: Random): readonly ClockJump[] {
  if (!chance.percent(20)) return [];
  return Array.from({ length: chance.between(1, 3) }, () => ({
    atMs: SLICE_MS * chance.below(75_000),
    byMs: chance.pick([-1, 1]) * chance.pick([1000, 60_000, 3_600_000, 86_400_000]),
  }));
}
