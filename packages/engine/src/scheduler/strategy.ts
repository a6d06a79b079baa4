// Strategies order the steps of one execution (SCHED-5). The order between executions is always the same.

import type { ContentHash, Json, State } from "@segno/kernel";
import type { Claim } from "./resources/claim.ts";
import { AGEING_MS } from "./ageing.ts";

/**
 * `fifo`: first in, first out. `priority`: by priority, then first in, first out. `parallel`: as many at once as the
 * limits allow, first in, first out. `sequential`: one at a time, by dependency wave and then by declaration, as if
 * every definition had `sequential: true`; the kernel makes a step ready only when it is next. `hybrid`: by
 * priority, then the steps with the most dependants first.
 */
export type StrategyName = (typeof STRATEGY_NAMES)[number];

export const STRATEGY_NAMES = ["fifo", "priority", "parallel", "sequential", "hybrid"] as const;

/** The order in which the ready steps of an execution start: the name of a strategy, or an object that chooses. */
export type Strategy = StrategyName | CustomStrategy;

/** A strategy that the user supplies. */
export interface CustomStrategy {
  /** Chooses one of the steps that can run now. `ready` has at most 1,000 steps, those of the highest priority. */
  select(ready: readonly ReadyStep[], context: StrategyContext): ReadyStep;
  /** Whether the strategy orders the steps of an execution; by default those of all. The others are ordered by priority. */
  covers?(execution: string): boolean;
  /**
   * Called before an execution from the store continues in this process. Its steps wait until the promise settles, for at
   * most `callbackTimeoutMs`.
   */
  load?(execution: StoredExecution): Promise<void>;
}

/** An execution from the store, for a strategy that has to read something before it can choose. */
export interface StoredExecution {
  readonly id: string;
  /** The engine's own object: callers read it, and never change it. */
  readonly state: State;
  /** Values of the execution that lie beside its journal. */
  readonly readValues: (hashes: readonly ContentHash[]) => Promise<ReadonlyMap<ContentHash, Json>>;
}

/** A step that can start, as a strategy sees it. */
export interface ReadyStep {
  /** The step's name. */
  readonly step: string;
  readonly priority: number;
  /** How many steps depend on it. */
  readonly dependants: number;
  readonly waitedMs: number;
}

/** The execution for which a strategy chooses a step. */
export interface StrategyContext {
  /** The id of the execution. */
  readonly execution: string;
  /** The name of its workflow. */
  readonly workflow: string;
  /** How many steps of the execution run now. */
  readonly running: number;
}

export const READY_MAX = 1000;

/** How a strategy orders claim queues and their steps, and how many steps of an execution it lets run at once. */
export interface StrategySettings {
  readonly hasPriorities: boolean;
  /**
   * The step rank, by which the steps of a claim queue are ordered. Steps of equal rank are in the order in which they began
   * to wait. `declaration`: by step index. `dependants`: by the number of dependants, the most first.
   */
  readonly ranking: "none" | "declaration" | "dependants";
  /** How many steps of an execution may run at once. */
  readonly concurrency: number;
  readonly custom: CustomStrategy | undefined;
}

const FIFO: StrategySettings = {
  hasPriorities: false,
  ranking: "none",
  concurrency: Number.POSITIVE_INFINITY,
  custom: undefined,
};
const PRIORITY: StrategySettings = { ...FIFO, hasPriorities: true };

const SETTINGS: Readonly<Record<StrategyName, StrategySettings>> = {
  fifo: FIFO,
  priority: PRIORITY,
  parallel: FIFO,
  sequential: { ...FIFO, ranking: "declaration", concurrency: 1 },
  hybrid: { ...PRIORITY, ranking: "dependants" },
};

/** The settings of an execution whose strategy failed. */
export const FALLBACK_SETTINGS: StrategySettings = FIFO;

export function toSettings(strategy: Strategy): StrategySettings {
  return typeof strategy === "string" ? SETTINGS[strategy] : { ...PRIORITY, custom: strategy };
}

/** The key of a claim queue: the priority of its claim in units of ageing, or 0 if the strategy ignores priorities. */
export function claimQueueKey({ hasPriorities }: StrategySettings, { priority }: Claim): number {
  return hasPriorities ? priority * AGEING_MS : 0;
}

/** The rank of a step among the steps of its execution. The smaller rank comes first. */
export function stepRank({ ranking }: StrategySettings, step: number, dependantCount: () => number): number {
  if (ranking === "none") return 0;
  return ranking === "declaration" ? step : -dependantCount();
}
