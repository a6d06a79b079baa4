// `segno completions`: prints a completion script for a shell.

import { Argument } from "commander";

import { SHELLS, type Shell } from "../completion/shell.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandRegistry } from "./command-registry.ts";

export function addCompletions(registry: CommandRegistry): void {
  registry
    .add("completions", [
      "source <(segno completions bash)",
      "segno completions zsh",
      "segno completions fish | source",
    ])
    .description("print a script that completes commands, options, executions and steps in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action(registry.handler(completions));
}

async function completions(shell: Shell, _: object, terminal: Terminal): Promise<ExitCode> {
  const { SHELL_SCRIPTS } = await import("../completion/shell-scripts.ts");
  terminal.print(SHELL_SCRIPTS[shell]);
  return EXIT_CODES.ok;
}
