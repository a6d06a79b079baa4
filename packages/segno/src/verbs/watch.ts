// `segno watch`: an execution that runs elsewhere, shown as if it ran here. Ctrl-C ends the looking, not the execution.

import { findExecution } from "../lookup/find-execution.ts";
import { openToRead } from "../journal/open-engine.ts";
import { EXIT_CODES, exitCodeOfExecution, type ExitCode } from "../exit-code.ts";
import { createView } from "../live/create-view.ts";
import { follow } from "../live/follow.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { ExecutionProgress } from "../progress/execution-progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportEnd, type EndOptions } from "../reports/end-report.ts";

export interface WatchOptions extends EndOptions {
  readonly quiet?: boolean;
}

export async function watch(id: string, options: WatchOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  using signals = new StopSignals();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  signals.listen(() => stop("stopped"));
  const view = createView(terminal, options);
  const progress = new ExecutionProgress(handle.id);
  try {
    const following = follow({ engine, handle, progress, view, logsSince: Date.now() });
    if ((await Promise.race([following, stopped])) === "stopped") {
      // It is told that the engine is closed, and nobody waits for it any more.
      following.catch(() => undefined);
      return signals.exitCode ?? EXIT_CODES.interrupted;
    }
    view.close();
    const exitCode = exitCodeOfExecution(progress.status, progress.failure);
    await reportEnd({ handle, progress, result: { exitCode, isDetached: false }, terminal, options });
    return exitCode;
  } finally {
    view.close();
  }
}
