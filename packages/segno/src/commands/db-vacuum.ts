// `segno db vacuum`: gives the space of removed executions back to the file system.

import type { Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbVacuum(registry: CommandRegistry, db: Command): void {
  registry
    .add("vacuum", ["segno db vacuum", "segno db vacuum --db old.db"], db)
    .description("free the disk space of removed executions")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .action(registry.handler(dbVacuum));
}

async function dbVacuum(options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { journalFile } = await import("../journal/journal-options.ts");
  const { openToAsk } = await import("../journal/open-engine.ts");
  const { requireOwner } = await import("../journal/require-owner.ts");
  const { printDone } = await import("../reports/maintenance-report.ts");
  await using engine = await openToAsk(options);
  requireOwner(engine, options, "vacuum the journal");
  await engine.vacuum();
  const file = journalFile(options);
  return printDone(options, terminal, { file }, `${safeText(file)} was vacuumed and has no unused space left`);
}
