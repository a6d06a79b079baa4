// Closes the engine of a foreground command. Executions that other commands started here may finish their steps first.

import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";

import type { Engine } from "@segno/engine";

import { settleCodeSteps } from "../journal/code-steps.ts";
import { commandName } from "../journal/journal-options.ts";
import { ACTIVE_STATUSES } from "../lookup/active-statuses.ts";
import type { ForegroundResult } from "../live/run-foreground.ts";
import type { StopSignals } from "../live/stop-signals.ts";
import type { View } from "../live/view.ts";
import type { ExitCode } from "../errors/exit-code.ts";
import { exitProcess } from "../terminal/process-exit.ts";

/** Steps of other executions may take this long to finish; then they are abandoned and start again in another process. */
const DRAIN_MS = 600_000;

export interface CommandSession {
  readonly engine: Engine;
  readonly view: View;
  readonly signals: StopSignals;
}

/** How long a start or a retry may take after a signal; the journal may be unable to accept it. */
const ACCEPT_MS = 2000;
/** How long the engine of such a command may take to close. */
const CLOSE_MS = 5000;
/** How long the engine may take to close after a signal that came while it closed. */
const FORCED_CLOSE_MS = 1000;

/** Runs `work` and closes the engine, also after an error. A signal ends it even before it listens to signals. */
export async function withEngineShutdown(
  session: CommandSession,
  work: () => Promise<ForegroundResult>,
): Promise<ExitCode> {
  const { engine } = session;
  let result: ForegroundResult | undefined;
  try {
    result = await Promise.race([work(), untilStuck(session)]);
    return result.exitCode;
  } finally {
    const isOrderly = result !== undefined && !result.isDetached;
    const others = isOrderly && engine.isOwner ? await countOtherActive(engine) : 0;
    await settleCodeSteps(engine);
    if (others === 0) await closeNow(session, result?.exitCode);
    else await drainAndClose(session, others, result!.exitCode);
  }
}

/** Resolves after a signal that nothing handles, because the journal has not accepted the work yet. */
async function untilStuck({ view, signals }: CommandSession): Promise<ForegroundResult> {
  await signals.first;
  await setTimeout(ACCEPT_MS, undefined, { ref: false });
  if (signals.hasListener) return new Promise(() => undefined);
  view.printNote(`stopped before the journal accepted this; it may still take effect: ${commandName()} list`);
  const exitCode = signals.exitCode!;
  startTimer(() => exitProcess(exitCode), CLOSE_MS).unref();
  return { exitCode, isDetached: true };
}

/** Counts executions that this process runs. A paused or parked one counts while one of its steps runs (CANCEL-7). */
async function countOtherActive(engine: Engine): Promise<number> {
  const here = engine.extensions.workload().executions;
  const { executions } = await engine.list({ status: ACTIVE_STATUSES });
  const underWay = new Set(executions.map(({ id }) => id));
  return here.filter(({ id, runningSteps }) => underWay.has(id) || runningSteps > 0).length;
}

/** After a further signal the command exits without waiting long for commands and threads that do not end. */
async function closeNow({ engine, signals }: CommandSession, exitCode: ExitCode | undefined): Promise<void> {
  const exit = (): void => exitProcess(exitCode ?? signals.exitCode);
  signals.listenFromNow(() => startTimer(exit, FORCED_CLOSE_MS).unref());
  await engine.close();
}

async function drainAndClose(
  { engine, view, signals }: CommandSession,
  others: number,
  exitCode: ExitCode,
): Promise<void> {
  const subject = others === 1 ? "1 other execution" : `${others} other executions`;
  view.printNote(`${subject} may still run steps here; waiting for them (Ctrl-C abandons them)`);
  signals.listenFromNow(() => exitProcess(exitCode));
  await engine.close({ drainMs: DRAIN_MS });
}
