// `segno db check`: reads every execution, also while another process owns the journal, and reports damage (JOURNAL-4).

import type { Command } from "commander";

import type { Finding } from "@segno/engine";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { DamagedExecution } from "../reports/check-report.ts";
import type { MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addDbCheck(registry: CommandRegistry, db: Command): void {
  registry
    .add("check", ["segno db check", "segno db check --json"], db)
    .description("check every execution for changed, truncated or lost data")
    .addOption(jsonOption("the findings"))
    .addOption(databaseOption())
    .action(registry.handler(dbCheck));
}

/** A quarantined execution counts as damaged. */
async function dbCheck(options: MaintenanceOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { checkLines, toDamaged } = await import("../reports/check-report.ts");
  await using engine = await openToRead(options);
  const damaged: DamagedExecution[] = [];
  const file: Finding[] = [];
  const sum = { executions: 0, events: 0 };
  for await (const part of engine.check()) {
    if (part.kind === "store") {
      for (const finding of part.findings) file.push(finding);
      continue;
    }
    sum.executions++;
    sum.events += part.events;
    if (part.findings.length > 0 || part.quarantined !== undefined) damaged.push(toDamaged(part));
  }
  const ok = damaged.length === 0 && file.length === 0;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 2, ok, ...sum, damaged, file })}\n`);
  else terminal.print(`${checkLines(sum, damaged, file, terminal).join("\n")}\n`);
  return ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}
