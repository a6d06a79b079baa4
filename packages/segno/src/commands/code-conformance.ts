// `segno code conformance`: checks whether a command can be an agent.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";

interface CodeConformanceOptions {
  readonly json?: boolean;
}

export function addCodeConformance(registry: CommandRegistry, code: Command): void {
  registry
    .add(
      "conformance",
      ["segno code conformance -- ./agent.sh", "segno code conformance --json -- node agent.mjs"],
      code,
    )
    .description("check a command against the contract of agents, in a temporary repository")
    .usage("[options] -- <command...>")
    .argument("<command...>", "a program and its arguments, after `--`")
    .addOption(jsonOption("the checks"))
    .action(registry.handler(conformance));
}

async function conformance(
  command: readonly string[],
  options: CodeConformanceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { checkConformance } = await import("@segno/code");
  const { conformanceText } = await import("../code/conformance-text.ts");
  const checks = await checkConformance(command);
  const isPassed = checks.every(({ passed }) => passed);
  terminal.print(
    options.json === true
      ? `${safeJson({ schemaVersion: 1, ok: isPassed, checks })}\n`
      : conformanceText(checks, terminal),
  );
  return isPassed ? EXIT_CODES.ok : EXIT_CODES.failed;
}
