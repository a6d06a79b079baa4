// `segno db recover`: ends the quarantine of an execution that is sound. `segno work` continues it.

import type { Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbRecover(registry: CommandRegistry, db: Command): void {
  registry
    .add("recover", ["segno db recover 01a1e272", "segno db recover @last --json"], db)
    .description("check a quarantined execution and end its quarantine if it is not damaged")
    .argument("<id>", ID_HELP)
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .action(registry.handler(dbRecover));
}

async function dbRecover(id: string, options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToAsk } = await import("../journal/open-engine.ts");
  const { requireOwner } = await import("../journal/require-owner.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { printDone } = await import("../reports/maintenance-report.ts");
  await using engine = await openToAsk(options);
  requireOwner(engine, options, "recover executions");
  const handle = await findExecution(engine, id);
  await engine.recover(handle.id);
  const sentence = `${safeText(handle.id)} is not damaged and no longer quarantined`;
  return printDone(options, terminal, { id: handle.id }, sentence);
}
