// Strategies: in which order the steps of one execution are taken (SCHED-5). Between executions there is one order only.

import type { Claim } from "./resources/claim.ts";
import { AGEING_MS } from "./ageing.ts";

/**
 * `fifo`: first in, first out. `priority`: by priority, then first in, first out. `parallel`: all at once as far as the limits
 * allow, first in, first out. `sequential`: one at a time, strictly in the order of the plan. `hybrid`: by priority, then those first on
 * which most others depend.
 */
export type StrategyName = (typeof STRATEGY_NAMES)[number];

export const STRATEGY_NAMES = ["fifo", "priority", "parallel", "sequential", "hybrid"] as const;

export type Strategy = StrategyName | SchedulingStrategy;

/** An order of the user's own. */
export interface SchedulingStrategy {
  /** Chooses one of those that could run now: at most a thousand, those of the highest priority. */
  select(ready: readonly ReadyStep[], context: StrategyContext): ReadyStep;
}

export interface ReadyStep {
  /** Its name. */
  readonly step: string;
  readonly priority: number;
  /** How many steps depend on it. */
  readonly dependants: number;
  readonly waitedMs: number;
}

export interface StrategyContext {
  readonly execution: string;
  readonly workflow: string;
  /** How many of its steps run at the moment. */
  readonly running: number;
}

export const READY_MAX = 1000;

/** What a strategy means for claim queues and their steps. */
export interface StrategyOrder {
  readonly hasPriorities: boolean;
  /** What steps of a claim queue are ranked by, apart from the time at which they came. */
  readonly ranking: "none" | "declaration" | "weight";
  /** How many steps of an execution may run at once. */
  readonly atOnce: number;
  readonly strategy: SchedulingStrategy | undefined;
}

const FIFO: StrategyOrder = {
  hasPriorities: false,
  ranking: "none",
  atOnce: Number.POSITIVE_INFINITY,
  strategy: undefined,
};
const PRIORITY: StrategyOrder = { ...FIFO, hasPriorities: true };

const ORDERS: Readonly<Record<StrategyName, StrategyOrder>> = {
  fifo: FIFO,
  priority: PRIORITY,
  parallel: FIFO,
  sequential: { ...FIFO, ranking: "declaration", atOnce: 1 },
  hybrid: { ...PRIORITY, ranking: "weight" },
};

/** What holds for an execution whose strategy is broken. */
export const FALLBACK_ORDER: StrategyOrder = FIFO;

export function toOrder(strategy: Strategy): StrategyOrder {
  return typeof strategy === "string" ? ORDERS[strategy] : { ...PRIORITY, strategy };
}

/** The part of a claim queue's rank that its priority has. */
export function orderKey({ hasPriorities }: StrategyOrder, { priority }: Claim): number {
  return hasPriorities ? priority * AGEING_MS : 0;
}
