// Closes the engine of a foreground command. Executions that other commands started here may finish their steps first.

import type { Engine } from "@segno/engine";

import { ACTIVE_STATUSES } from "../lookup/active-statuses.ts";
import type { ForegroundResult } from "../live/run-foreground.ts";
import type { StopSignals } from "../live/stop-signals.ts";
import type { View } from "../live/view.ts";
import type { ExitCode } from "../errors/exit-code.ts";

/** Steps of other executions may take this long to finish; then they are abandoned and start again in another process. */
const DRAIN_MS = 600_000;

export interface CommandSession {
  readonly engine: Engine;
  readonly view: View;
  readonly signals: StopSignals;
}

/** Runs `work` and closes the engine, also after an error. */
export async function withEngineShutdown(
  session: CommandSession,
  work: () => Promise<ForegroundResult>,
): Promise<ExitCode> {
  const { engine } = session;
  let result: ForegroundResult | undefined;
  try {
    result = await work();
    return result.exitCode;
  } finally {
    const isOrderly = result !== undefined && !result.isDetached;
    const others = isOrderly && engine.isOwner ? await countOtherActive(engine) : 0;
    if (others === 0) await engine.close();
    else await drainAndClose(session, others, result!.exitCode);
  }
}

/** Counts executions that this process runs. A paused or parked one counts while one of its steps runs (CANCEL-7). */
async function countOtherActive(engine: Engine): Promise<number> {
  const here = engine.extensions.workload().executions;
  const { executions } = await engine.list({ status: ACTIVE_STATUSES });
  const underWay = new Set(executions.map(({ id }) => id));
  return here.filter(({ id, runningSteps }) => underWay.has(id) || runningSteps > 0).length;
}

async function drainAndClose(
  { engine, view, signals }: CommandSession,
  others: number,
  exitCode: ExitCode,
): Promise<void> {
  const subject = others === 1 ? "1 other execution" : `${others} other executions`;
  view.printNote(`${subject} may still run steps here; waiting for them (Ctrl-C abandons them)`);
  signals.listen(() => process.exit(exitCode));
  await engine.close({ drainMs: DRAIN_MS });
}
