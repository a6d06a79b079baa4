// `segno run`: starts an execution and follows it, or leaves it to a background process.

import { duration, label, wholeNumber } from "../document/option-value.ts";
import { STANDARD_INPUT } from "../document/standard-input.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { StartCommandOptions } from "../sessions/start-request.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import { FILE_HELP, jsonlOption, jsonOption, quietOption, type CommandRegistry } from "./command-registry.ts";
import { withImport, withWorkOptions } from "./work-command-options.ts";

const PRIORITY_MAX = 1_000_000;

interface RunCommandOptions extends StartCommandOptions {
  readonly detach?: boolean;
}

export function addRun(registry: CommandRegistry): void {
  const command = registry
    .add("run", [
      "segno run release.yaml",
      `segno run release.yaml --input '{"tag":"v1"}' --json > result.json`,
      "segno run nightly.yaml --detach",
    ])
    .description(
      "start an execution and show its progress; Ctrl-C cancels it, a second Ctrl-C ends its running steps at once",
    )
    .argument("<file>", FILE_HELP)
    .option("--input <json>", "the input as JSON, or @file")
    .option("--with <file>", "the file of a called contract in another folder; may be repeated", collect)
    .addOption(jsonOption("the result"))
    .addOption(jsonlOption())
    .option("--detach", "print the id and continue in the background")
    .option("--id <id>", "the id of the execution (default: a generated id)")
    .option("--key <key>", "an idempotency key; starts with the same key return the same execution")
    .option("--label <name=value>", "a label, by which `list` finds the execution; may be repeated", label)
    .option("--correlation <id>", "the correlation id, which events and logs carry (default: the id)")
    .option(
      "--priority <number>",
      "run before executions with a lower number",
      wholeNumber(-PRIORITY_MAX, PRIORITY_MAX),
    )
    .option("--timeout <duration>", "cancel the execution after this time and exit with 124", duration);
  withWorkOptions(withImport(command)).addOption(quietOption()).action(registry.handler(run));
}

async function run(file: string, options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (file === STANDARD_INPUT && options.input === "@-")
    throw new UsageError("standard input can be the contract or its input, not both");
  const { readStartRequest } = await import("../sessions/start-request.ts");
  const request = await readStartRequest(file, options, terminal);
  if (request === undefined) return EXIT_CODES.invalid;
  if (mayRunOthers(options)) {
    const { requireTrust } = await import("../worker/journal-trust.ts");
    await requireTrust(options, terminal);
  }
  const { startDetached, startInForeground } = await import("../sessions/start-session.ts");
  return options.detach === true
    ? startDetached(request, options, terminal)
    : startInForeground(request, options, terminal);
}

/** A key may name an execution that exists already, and a background process continues all unfinished executions. */
function mayRunOthers({ detach = false, key }: RunCommandOptions): boolean {
  return detach || key !== undefined;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
