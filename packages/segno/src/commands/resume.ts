// `segno resume`: continues an execution that is paused or parked (CANCEL-7).

import type { ExitCode } from "../errors/exit-code.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

export function addResume(registry: CommandRegistry): void {
  registry
    .add("resume", ["segno resume @last", "segno resume 01a1e272 --json"])
    .description("resume a paused or parked execution")
    .argument("<id>", ID_HELP)
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(resume));
}

async function resume(id: string, options: ControlOptions, terminal: Terminal): Promise<ExitCode> {
  const { RESUME } = await import("../control/control-requests.ts");
  const { controlExecution } = await import("../sessions/control-session.ts");
  return controlExecution({ verb: "resume", id, request: RESUME, options }, terminal);
}
