// `segno logs`: the output of the steps of an execution.

import type { ExecutionHandle } from "@segno/engine";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import type { LoggedLine } from "../live/log-text.ts";
import type { LogFormat } from "../reports/log-printer.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

interface LogsOptions extends JournalOptions, LogFormat {
  readonly follow?: boolean;
}

export function addLogs(registry: CommandRegistry): void {
  registry
    .add("logs", ["segno logs @last", "segno logs 01a1e272 test --follow"])
    .description("show the output of steps")
    .argument("<id>", ID_HELP)
    .argument("[step]", "only the output of this step")
    .option("-f, --follow", "keep printing until the execution ends")
    .addOption(jsonOption("the lines").conflicts("follow"))
    .option("--jsonl", "print each line as a line of JSON")
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(logs));
}

async function logs(id: string, step: string | undefined, options: LogsOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { StepLabels } = await import("../live/step-labels.ts");
  const { StopSignals } = await import("../live/stop-signals.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { createLogPrinter } = await import("../reports/log-printer.ts");
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  using signals = new StopSignals();
  const controller = new AbortController();
  signals.listen(() => controller.abort());
  const printer = createLogPrinter(handle.id, step, options, terminal);
  printer.begin();
  const labels = new StepLabels(handle);
  for await (const line of readLines(engine, handle, step, options, controller.signal)) {
    printer.line(await labels.beside(line));
    if (controller.signal.aborted) break;
  }
  printer.end();
  return signals.exitCode ?? EXIT_CODES.ok;
}

/** The lines of a scope are those of all steps inside it. */
async function* readLines(
  engine: InspectedEngine,
  handle: ExecutionHandle,
  wanted: string | undefined,
  { follow = false }: LogsOptions,
  signal: AbortSignal,
): AsyncGenerator<LoggedLine> {
  if (wanted === undefined) return yield* engine.logs(handle.id, { follow, signal });
  const { findStep } = await import("../lookup/find-step.ts");
  const { name, isScope } = findStep(handle.id, await handle.status(), wanted);
  if (!isScope) return yield* engine.logs(handle.id, { step: name, follow, signal });
  for await (const line of engine.logs(handle.id, { follow, signal }))
    if (line.step === name || line.step.startsWith(`${name}/`)) yield line;
}
