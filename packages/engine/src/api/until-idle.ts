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
    // Idleness usually needs only a few ticks of the event loop. A slow store needs longer, so the loop then sleeps.
    if (look <= POLLS_AT_ONCE) await new Promise<void>((resolve) => environment.defer(resolve));
    else await executions.sleep(POLL_MS);
  }
}
