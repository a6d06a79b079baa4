// `segno db import`: stores an exported execution. It runs nothing: `segno work` continues an unfinished execution.

import type { Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbImport(registry: CommandRegistry, db: Command): void {
  registry
    .add("import", ["segno db import execution.jsonl", "segno db import - < execution.jsonl"], db)
    .description("store an exported execution; segno work resumes it if it is unfinished")
    .argument("<file>", "an export; - reads standard input")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .action(registry.handler(dbImport));
}

async function dbImport(file: string, options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { readExport } = await import("../journal/export-file.ts");
  const { openToRecord } = await import("../journal/open-engine.ts");
  const { requireOwner } = await import("../journal/require-owner.ts");
  const { printDone } = await import("../reports/maintenance-report.ts");
  await using engine = await openToRecord(options);
  requireOwner(engine, options, "import");
  const id = await engine.import(readExport(file));
  return printDone(options, terminal, { id }, `${safeText(id)} was imported`);
}
