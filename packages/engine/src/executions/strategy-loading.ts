// Prepares a user-supplied strategy for executions from the store, before their steps are scheduled again (SCHED-5).

import type { ExecutionId, Json } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import type { StoredExecution, Strategy } from "../scheduler/strategy.ts";
import type { Store } from "../store/store.ts";
import { readValues } from "../store/stored-values.ts";
import type { LiveExecution } from "../turn/live-execution.ts";

export interface StrategyLoadingPorts {
  readonly store: Store;
  readonly callbacks: CallbackLimit;
  readonly report: (error: unknown, execution: ExecutionId) => void;
}

/** Undefined if the strategy needs no preparation. A strategy that fails is reported, and the execution continues. */
export function strategyLoading(
  strategy: Strategy | undefined,
  { store, callbacks, report }: StrategyLoadingPorts,
): ((execution: LiveExecution) => Promise<void>) | undefined {
  if (typeof strategy !== "object" || strategy.load === undefined) return undefined;
  return async (execution) => {
    const { id } = execution;
    const stored: StoredExecution = {
      id,
      get state() {
        return execution.state;
      },
      readValues: async (hashes) =>
        new Map(Array.from(await readValues(store, id, hashes), ([hash, body]) => [hash, JSON.parse(body) as Json])),
    };
    try {
      await callbacks.awaitResult("the scheduling strategy", strategy.load!(stored));
    } catch (error) {
      report(error, id);
    }
  };
}
