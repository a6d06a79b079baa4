// `segno doctor`: checks the environment and tells how to repair it. It changes nothing.

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

interface DoctorOptions extends JournalOptions {
  readonly json?: boolean;
}

export function addDoctor(registry: CommandRegistry): void {
  registry
    .add("doctor", ["segno doctor", "segno doctor --json"])
    .description("check whether Segno works on this machine, and show how to fix each problem")
    .addOption(jsonOption("the findings"))
    .addOption(databaseOption())
    .action(registry.handler(doctor));
}

async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { runChecks } = await import("../doctor/checks.ts");
  const { journalFile } = await import("../journal/journal-options.ts");
  const { doctorReport } = await import("../reports/doctor-report.ts");
  const findings = await runChecks(journalFile(options), terminal);
  const isWell = findings.every(({ verdict }) => verdict !== "problem");
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok: isWell, checks: findings })}\n`);
  else terminal.print(doctorReport(findings, terminal));
  return isWell ? EXIT_CODES.ok : EXIT_CODES.failed;
}
