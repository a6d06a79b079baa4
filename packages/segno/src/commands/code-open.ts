// `segno code open`: prints the folder in which the last agent of a task worked, if it is kept.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withExecutionOption, type CodeCommandOptions } from "./code-options.ts";
import type { CommandRegistry } from "./command-registry.ts";

export function addCodeOpen(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("open", ["segno code open api", 'cd "$(segno code open api)"'], code)
    .description("print the kept workspace of a task")
    .argument("<task>", "the id of a task");
  withExecutionOption(command).action(registry.handler(open));
}

async function open(task: string, options: CodeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { openCodeExecution } = await import("../code/code-execution.ts");
  await using opened = await openCodeExecution(options);
  const path = await opened.workspacePath(task);
  if (path === undefined) {
    terminal.report(
      `segno: the task \`${safeText(task)}\` has no workspace: it has not started, or its work has landed\n`,
    );
    return EXIT_CODES.notFound;
  }
  terminal.print(`${safeText(path)}\n`);
  return EXIT_CODES.ok;
}
