// `segno code run`: starts a code workflow and follows it, or leaves it to a background process.

import type { Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { StartCommandOptions } from "../sessions/start-request.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonlOption, jsonOption, quietOption, type CommandRegistry } from "./command-registry.ts";
import { withTemplateOptions, type TemplateOptions } from "./template-options.ts";
import { withWorkOptions } from "./work-command-options.ts";

interface CodeRunOptions extends TemplateOptions, StartCommandOptions {
  readonly detach?: boolean;
}

export function addCodeRun(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add(
      "run",
      ["segno code run feature.yaml --param name=login", "segno code run feature.yaml --repo ../shop --base develop"],
      code,
    )
    .description("start the tasks of a template on a repository and show their progress");
  withTemplateOptions(command)
    .addOption(jsonOption("the result"))
    .addOption(jsonlOption())
    .option("--detach", "print the id and continue in the background")
    .option("--id <id>", "the id of the execution (default: a generated id)")
    .option("--key <key>", "an idempotency key; starts with the same key return the same execution");
  withWorkOptions(command).addOption(quietOption()).action(registry.handler(run));
}

async function run(file: string, options: CodeRunOptions, terminal: Terminal): Promise<ExitCode> {
  const { newExecutionId, readTemplateStart, toStartRequest } = await import("../code/template-request.ts");
  // The branch of the workflow has the id in its name, so it is chosen before the start.
  const { id = newExecutionId() } = options;
  const start = await readTemplateStart(file, { ...options, mayCreateSample: true, executionId: id }, terminal);
  if (typeof start === "number") return start;
  const { detach = false, key } = options;
  if (detach || key !== undefined) {
    const { requireTrust } = await import("../worker/journal-trust.ts");
    await requireTrust(options, terminal);
  }
  const { startDetached, startInForeground } = await import("../sessions/start-session.ts");
  const begin = detach ? startDetached : startInForeground;
  return await begin(toStartRequest(start), { ...options, id }, terminal);
}
