// `segno watch`: follows an execution that runs in another process. Ctrl-C stops following; the execution continues.

import { EXIT_CODES, exitCodeOfExecution, type ExitCode } from "../errors/exit-code.ts";
import type { EndOptions } from "../reports/end-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  databaseOption,
  ID_HELP,
  jsonlOption,
  jsonOption,
  quietOption,
  serverOption,
  type CommandRegistry,
} from "./command-registry.ts";

interface WatchOptions extends EndOptions {
  readonly quiet?: boolean;
}

export function addWatch(registry: CommandRegistry): void {
  registry
    .add("watch", ["segno watch @last", "segno watch 01a1e272 --quiet"])
    .description("follow an execution that runs in another process; Ctrl-C stops following")
    .argument("<id>", ID_HELP)
    .addOption(jsonOption("the result"))
    .addOption(jsonlOption())
    .addOption(quietOption())
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(watch));
}

async function watch(id: string, options: WatchOptions, terminal: Terminal): Promise<ExitCode> {
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { createView } = await import("../live/create-view.ts");
  const { Follower } = await import("../live/follower.ts");
  const { StopSignals } = await import("../live/stop-signals.ts");
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  using signals = new StopSignals();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  signals.listen(() => stop("stopped"));
  const view = createView(terminal, options);
  try {
    const following = new Follower({ engine, handle, view, logsSince: Date.now() }).untilEnd();
    const execution = await Promise.race([following, stopped]);
    if (execution === "stopped") {
      // It rejects when the engine closes, and nothing awaits it any more.
      following.catch(() => undefined);
      return signals.exitCode ?? EXIT_CODES.interrupted;
    }
    view.close();
    const exitCode = exitCodeOfExecution(execution.status, execution.failure);
    const { reportEnd } = await import("../reports/end-report.ts");
    await reportEnd({ handle, execution, result: { exitCode, isDetached: false }, terminal, options });
    return exitCode;
  } finally {
    view.close();
  }
}
