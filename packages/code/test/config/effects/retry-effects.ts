import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import type { KeyEffect } from "./key-effect.ts";
import { runTimed } from "./timed-run.ts";

/** When the attempts of an agent that always fails begin. */
async function attempts(config: ExecutorConfig): Promise<readonly number[]> {
  const busy = { kind: "failed", reason: "busy", isLasting: false } as const;
  return (await runTimed(config, () => busy, "1h")).attemptsAt;
}

export const RETRY_EFFECTS: readonly KeyEffect[] = [
  { key: "retry.max_attempts", values: [1, 2], results: [[0], [0, 1000]], observe: attempts },
  {
    key: "retry.backoff_multiplier",
    values: [2, 3],
    results: [
      [0, 1000, 3000],
      [0, 1000, 4000],
    ],
    observe: attempts,
  },
  {
    key: "retry.base_delay",
    values: [1000, 5000],
    results: [
      [0, 1000, 3000],
      [0, 5000, 15_000],
    ],
    observe: attempts,
  },
  {
    key: "retry.max_delay",
    values: [30_000, 1500],
    results: [
      [0, 1000, 3000],
      [0, 1000, 2500],
    ],
    observe: attempts,
  },
  {
    key: "retry.retryable_errors",
    values: [["resource_unavailable"], ["network_timeout"]],
    results: [[0, 1000, 3000], [0]],
    observe: attempts,
  },
];
