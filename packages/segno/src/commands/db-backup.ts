// `segno db backup`: writes a consistent copy of the journal, also while executions run.

import type { Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbBackup(registry: CommandRegistry, db: Command): void {
  registry
    .add("backup", ["segno db backup nightly.db", "segno db backup /backups/segno.db --db work.db"], db)
    .description("write a consistent copy of the journal, even while executions run")
    .argument("<file>", "the file to write; it must not exist")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .action(registry.handler(dbBackup));
}

async function dbBackup(file: string, options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { journalFile } = await import("../journal/journal-options.ts");
  const { openToRead } = await import("../journal/open-engine.ts");
  const { printDone } = await import("../reports/maintenance-report.ts");
  await using engine = await openToRead(options);
  await engine.backup(file);
  return printDone(options, terminal, { file }, `${safeText(file)} is a copy of ${safeText(journalFile(options))}`);
}
