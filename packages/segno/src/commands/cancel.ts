// `segno cancel`: cancels an execution, in whichever process it runs. For one that has ended it reports the status
// (CANCEL-6).

import type { ExitCode } from "../errors/exit-code.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

interface CancelCommandOptions extends ControlOptions {
  readonly drain?: boolean;
  readonly force?: boolean;
  readonly compensate?: boolean;
  readonly reason?: string;
}

export function addCancel(registry: CommandRegistry): void {
  registry
    .add("cancel", ["segno cancel @last", `segno cancel 01a1e272 --reason "wrong version"`])
    .description("cancel an execution, also one that runs in another process")
    .argument("<id>", ID_HELP)
    .option("--drain", "let running steps finish")
    .option("--force", "give running steps no time to clean up")
    .option("--compensate", "undo the steps that succeeded, newest first")
    .option("--reason <text>", "the reason, recorded in the journal")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(cancel));
}

async function cancel(id: string, options: CancelCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { drain, force, compensate = false, reason = "cancelled with segno cancel" } = options;
  const { cancelRequest } = await import("../control/control-requests.ts");
  const { controlExecution } = await import("../sessions/control-session.ts");
  const mode = drain === true ? "drain" : "abort";
  const request = cancelRequest({ mode, reason, compensate, ...(force === true ? { graceMs: 0 } : {}) });
  return controlExecution({ verb: "cancel", id, request, options }, terminal);
}
