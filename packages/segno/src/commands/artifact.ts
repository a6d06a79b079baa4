// `segno artifact`: lists the files that the steps of an execution have kept, and copies one of them.

import type { ExecutionHandle } from "@segno/engine";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

interface ArtifactOptions extends JournalOptions {
  readonly json?: boolean;
  readonly to?: string;
}

const EXAMPLES = [
  "segno artifact @last",
  "segno artifact @last build",
  "segno artifact @last build dist/app.tgz --to .",
];

export function addArtifact(registry: CommandRegistry): void {
  registry
    .add("artifact", EXAMPLES)
    .description("list the files that steps have kept, or copy one of them")
    .argument("<id>", ID_HELP)
    .argument("[step]", "only the files of this step")
    .argument("[path]", "the file to copy, as the list shows it")
    .option("--to <file>", "the file to write, or a folder in which it gets its own name")
    .addOption(jsonOption("the list, or the copied file"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(artifact));
}

async function artifact(
  id: string,
  step: string | undefined,
  path: string | undefined,
  options: ArtifactOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if ((path === undefined) !== (options.to === undefined))
    throw new UsageError(path === undefined ? "--to needs a step and a path" : "a path needs --to <file>");
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { findStep } = await import("../lookup/find-step.ts");
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  if (step !== undefined) findStep(handle.id, await handle.status(), step);
  if (path === undefined) await list(handle, step, options, terminal);
  else await copy(handle, step!, path, options, terminal);
  return EXIT_CODES.ok;
}

async function list(
  handle: ExecutionHandle,
  step: string | undefined,
  { json = false }: ArtifactOptions,
  terminal: Terminal,
): Promise<void> {
  const { artifactLines } = await import("../reports/artifact-lines.ts");
  const artifacts = await handle.artifacts(step);
  if (json) return terminal.print(`${safeJson({ schemaVersion: 1, id: handle.id, artifacts })}\n`);
  const none = `${step === undefined ? `the execution ${safeText(handle.id)}` : `\`${safeText(step)}\``} has no artifacts`;
  terminal.print(`${artifacts.length === 0 ? none : artifactLines(artifacts, terminal).join("\n")}\n`);
}

async function copy(
  handle: ExecutionHandle,
  step: string,
  path: string,
  { json = false, to = "" }: ArtifactOptions,
  terminal: Terminal,
): Promise<void> {
  const { newFile, toFileError } = await import("../document/new-file.ts");
  const file = newFile(to, path);
  await handle.copyArtifact(step, path, file).catch((error: unknown) => {
    throw toFileError(error, file);
  });
  terminal.print(json ? `${safeJson({ schemaVersion: 1, id: handle.id, step, path, file })}\n` : `${safeText(file)}\n`);
}
