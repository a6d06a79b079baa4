// `segno code clean`: removes workspaces and branches whose work has landed.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withExecutionOption, type CodeCommandOptions } from "./code-options.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addCodeClean(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("clean", ["segno code clean", "segno code clean --id 01a1e272"], code)
    .description("remove the workspaces and branches of a code workflow whose work has landed, and nothing else");
  withExecutionOption(command).addOption(jsonOption("the result")).action(registry.handler(clean));
}

async function clean(options: CodeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { openCodeExecution } = await import("../code/code-execution.ts");
  await using opened = await openCodeExecution(options);
  const { removed, kept } = await opened.clean();
  terminal.print(
    options.json === true
      ? `${safeJson({ schemaVersion: 1, id: opened.id, removed, kept })}\n`
      : [...removed.map((name) => `removed ${name}`), ...kept.map((name) => `kept ${name}: its work has not landed`)]
          .map((line) => `${safeText(line)}\n`)
          .join("") || "nothing to remove\n",
  );
  return EXIT_CODES.ok;
}
