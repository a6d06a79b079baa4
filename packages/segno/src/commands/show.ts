// `segno show`: one execution with all its steps, or the output of one step.

import type { ExecutionHandle } from "@segno/engine";
import type { Json } from "@segno/kernel";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, type CommandRegistry } from "./command-registry.ts";

interface ShowOptions extends JournalOptions {
  readonly json?: boolean;
  readonly output?: string;
}

export function addShow(registry: CommandRegistry): void {
  registry
    .add("show", ["segno show @last", "segno show 01a1e272 --json", "segno show @last --output build"])
    .description("show an execution and its steps")
    .argument("<id>", ID_HELP)
    .option("--output <step>", "print only the complete output of this step")
    .addOption(jsonOption("the report"))
    .addOption(databaseOption())
    .action(registry.handler(show));
}

async function show(id: string, options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { executionJson } = await import("../progress/execution-json.ts");
  const { loadExecution } = await import("../progress/load-execution.ts");
  const { showText } = await import("../reports/show-report.ts");
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  if (options.output !== undefined) return await showOutput(handle, options.output, options, terminal);
  const execution = await loadExecution(engine, handle.id);
  const output = execution.status === "completed" ? await handle.result() : undefined;
  const orphaned = orphanTest(options)(execution.status);
  terminal.print(
    options.json === true
      ? `${safeJson({ schemaVersion: 1, ...executionJson(execution, output), ...(orphaned ? { orphaned } : {}) })}\n`
      : showText(execution, output, terminal, { ...options, orphaned }),
  );
  return EXIT_CODES.ok;
}

async function showOutput(
  handle: ExecutionHandle,
  step: string,
  { json = false }: ShowOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const output = await readOutput(handle, step);
  if (output === undefined) {
    const { steps } = await handle.status();
    const status = steps.find(({ name }) => name === step)?.status;
    const why = status === undefined ? "" : `: it is ${status}`;
    terminal.report(`segno: \`${safeText(step)}\` has no output${why}\n`);
    return EXIT_CODES.conflict;
  }
  terminal.print(`${safeJson(json ? { schemaVersion: 1, id: handle.id, step, output } : output)}\n`);
  return EXIT_CODES.ok;
}

async function readOutput(handle: ExecutionHandle, step: string): Promise<Json | undefined> {
  const { SegnoError } = await import("@segno/kernel");
  const { findStep } = await import("../lookup/find-step.ts");
  try {
    return await handle.output(step);
  } catch (error) {
    // `findStep` throws an error that suggests the nearest name.
    if (error instanceof SegnoError && error.code === "STEP_UNKNOWN") findStep(handle.id, await handle.status(), step);
    throw error;
  }
}
