// `segno work`: continues all unfinished executions and runs those that other commands start, until it is stopped, or with
// `--until-idle` until there is nothing left to do.

import { Option } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { WorkCommandOptions } from "../sessions/work-loop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { quietOption, type CommandRegistry } from "./command-registry.ts";
import { withImport, withWorkOptions } from "./work-command-options.ts";

export function addWork(registry: CommandRegistry): void {
  const command = registry
    .add("work", ["segno work", "segno work --until-idle --slots 4", "segno work --import src/workflows.ts"])
    .description("resume unfinished executions and run those that other commands start")
    .option("--until-idle", "exit when there is nothing left to do; the exit code is 0 also if executions are parked")
    .addOption(new Option("--background", "be the one background worker of the journal").hideHelp());
  withWorkOptions(withImport(command)).addOption(quietOption()).action(registry.handler(work));
}

async function work(options: WorkCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { requireTrust } = await import("../worker/journal-trust.ts");
  await requireTrust(options, terminal);
  const { StopSignals } = await import("../live/stop-signals.ts");
  const { createView } = await import("../live/create-view.ts");
  const { runInBackground } = await import("../sessions/background-session.ts");
  const { runWorker } = await import("../sessions/work-loop.ts");
  using signals = new StopSignals();
  const view = createView(terminal, { ...options, isShared: true });
  try {
    const run = options.background === true ? runInBackground : runWorker;
    const end = await run({ options, terminal, view, signals });
    return signals.exitCode ?? (end === undefined || end.skipped.isEmpty ? EXIT_CODES.ok : EXIT_CODES.failed);
  } finally {
    view.close();
  }
}
