// `segno db export`: writes one execution as lines of JSON, to standard output or to a file that must not exist.

import type { Command } from "commander";

import { STANDARD_INPUT } from "../document/standard-input.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbExport(registry: CommandRegistry, db: Command): void {
  registry
    .add("export", ["segno db export @last > execution.jsonl", "segno db export 01a1e272 execution.jsonl"], db)
    .description("write one execution as lines of JSON")
    .argument("<id>", ID_HELP)
    .argument("[file]", "a file that must not exist (default: standard output)")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .action(registry.handler(dbExport));
}

async function dbExport(
  id: string,
  file: string | undefined,
  options: MaintenanceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  if (file === undefined || file === STANDARD_INPUT) {
    for await (const line of engine.export(handle.id)) terminal.print(`${line}\n`);
    return EXIT_CODES.ok;
  }
  const { writeExport } = await import("../journal/export-file.ts");
  const { printDone } = await import("../reports/maintenance-report.ts");
  await writeExport(file, engine.export(handle.id));
  return printDone(options, terminal, { id: handle.id, file }, `${safeText(file)} holds ${safeText(handle.id)}`);
}
