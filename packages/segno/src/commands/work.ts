// `segno work`: continues all unfinished executions and runs those that other commands start, until it is stopped, or with
// `--until-idle` until there is nothing left to do.

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { WorkCommandOptions } from "../sessions/work-loop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { quietOption, type CommandRegistry } from "./command-registry.ts";
import { withWorkOptions } from "./work-command-options.ts";

export function addWork(registry: CommandRegistry): void {
  const command = registry
    .add("work", ["segno work", "segno work --until-idle --slots 4"])
    .description("resume unfinished executions and run those that other commands start")
    .option("--until-idle", "exit when there is nothing left to do");
  withWorkOptions(command).addOption(quietOption()).action(registry.handler(work));
}

async function work(options: WorkCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { requireTrust } = await import("../worker/journal-trust.ts");
  await requireTrust(options, terminal);
  const { StopSignals } = await import("../live/stop-signals.ts");
  const { createView } = await import("../live/create-view.ts");
  const { runWorker } = await import("../sessions/work-loop.ts");
  using signals = new StopSignals();
  const view = createView(terminal, { ...options, isShared: true });
  try {
    const { hasSkipped } = await runWorker({ options, terminal, view, signals });
    return signals.exitCode ?? (hasSkipped ? EXIT_CODES.failed : EXIT_CODES.ok);
  } finally {
    view.close();
  }
}
