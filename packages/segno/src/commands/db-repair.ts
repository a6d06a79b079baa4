// `segno db repair`: rebuilds projections from their journals. It needs exclusive access: no process may own the journal.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbRepair(registry: CommandRegistry, db: Command): void {
  registry
    .add("repair", ["segno db repair", "segno db repair --db old.db --json"], db)
    .description("rebuild the projections of executions from their journals")
    .addOption(jsonOption("the repairs"))
    .addOption(databaseOption())
    .action(registry.handler(dbRepair));
}

async function dbRepair(options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { repairFile } = await import("@segno/engine");
  const { journalFile, requireJournal } = await import("../journal/journal-options.ts");
  const { repairLines } = await import("../reports/check-report.ts");
  const report = await repairFile(requireJournal(options));
  const ok = report.remaining.length === 0;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok, ...report })}\n`);
  else terminal.print(`${repairLines(report, journalFile(options), terminal).join("\n")}\n`);
  return ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}
