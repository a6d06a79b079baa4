// `segno pause`: starts no new steps of an execution; running steps may finish (CANCEL-7).

import type { ExitCode } from "../errors/exit-code.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

export function addPause(registry: CommandRegistry): void {
  registry
    .add("pause", ["segno pause @last", "segno pause 01a1e272 --json"])
    .description("pause an execution: running steps finish, and no new steps start")
    .argument("<id>", ID_HELP)
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(pause));
}

async function pause(id: string, options: ControlOptions, terminal: Terminal): Promise<ExitCode> {
  const { PAUSE } = await import("../control/control-requests.ts");
  const { controlExecution } = await import("../sessions/control-session.ts");
  return controlExecution({ verb: "pause", id, request: PAUSE, options }, terminal);
}
