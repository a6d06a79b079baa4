// `segno code diff`: the changes of one task.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeLines } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withExecutionOption, type CodeCommandOptions } from "./code-options.ts";
import type { CommandRegistry } from "./command-registry.ts";

export function addCodeDiff(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("diff", ["segno code diff api", "segno code diff api --id 01a1e272 | less"], code)
    .description("show the changes of a task: what has landed, or what its agent has made so far")
    .argument("<task>", "the id of a task");
  withExecutionOption(command).action(registry.handler(diff));
}

async function diff(task: string, options: CodeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { openCodeExecution } = await import("../code/code-execution.ts");
  await using opened = await openCodeExecution(options);
  terminal.print(safeLines(await opened.diff(task)));
  return EXIT_CODES.ok;
}
