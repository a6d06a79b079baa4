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
  const { pullRequestText } = await import("../code/pull-request-text.ts");
  await using opened = await openCodeExecution(options);
  const pullRequest = await opened.pullRequest(task);
  const patch = safeLines(await opened.diff(task));
  // `git apply` ignores lines before a patch.
  const lines = pullRequest === undefined ? [] : [pullRequestText(pullRequest), "", safeLines(pullRequest.body), ""];
  terminal.print(`${lines.map((line) => `${line}\n`).join("")}${patch}`);
  return EXIT_CODES.ok;
}
