// `segno code status`: the tasks of a code workflow, with their progress, commits and cost.

import type { ExecutionStatus } from "@segno/kernel";
import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withExecutionOption, type CodeCommandOptions } from "./code-options.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addCodeStatus(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("status", ["segno code status", "segno code status --id 01a1e272 --json"], code)
    .description("show the tasks of a code workflow, with progress, commits and cost");
  withExecutionOption(command).addOption(jsonOption("the report")).action(registry.handler(status));
}

async function status(options: CodeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { readCodeReport } = await import("@segno/code");
  const { readPullRequests } = await import("../code/read-pull-requests.ts");
  const { codeStatusText } = await import("../code/status-text.ts");
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, options.id);
  const report = await readCodeReport(handle);
  const pullRequests = await readPullRequests(engine, handle, report);
  const { status: execution } = await handle.status();
  terminal.print(
    options.json === true
      ? `${safeJson({ schemaVersion: 1, id: handle.id, status: execution, ...report, pullRequests })}\n`
      : codeStatusText(handle.id, execution as ExecutionStatus, { ...report, pullRequests }, terminal),
  );
  return EXIT_CODES.ok;
}
