// Waits for the attempts that run when an engine closes.

import type { Environment } from "../clock/environment.ts";
import type { Executions } from "../executions/executions.ts";
import type { Runner } from "../runners/runner.ts";

/** The time between two checks. */
const POLL_MS = 5;
const POLLS_AT_ONCE = 20;

/** Resolves when no attempt runs and every outcome is durable. */
export async function untilIdle(
  runner: Pick<Runner, "idle" | "commitDelayTicks">,
  executions: Executions,
  environment: Environment,
): Promise<void> {
  for (let look = 1; ; look++) {
    await runner.idle();
    await executions.untilCommitted();
    if (runner.commitDelayTicks === 0 && executions.isQuiet) return;
    // Usually a few ticks are enough; a store that does not answer takes longer.
    if (look <= POLLS_AT_ONCE) await new Promise<void>((resolve) => environment.defer(resolve));
    else await executions.sleep(POLL_MS);
  }
}
