// `segno logs`: what the steps of an execution wrote.

import type { Engine, ExecutionHandle } from "@segno/engine";

import { findExecution } from "../lookup/find-execution.ts";
import { findStep } from "../lookup/find-step.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { openToRead } from "../journal/open-engine.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { StepLabels } from "../live/step-labels.ts";
import { jsonLine } from "../live/jsonl-view.ts";
import { logText, writerName, type LoggedLine } from "../live/log-text.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { safeJsonLine } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface LogsOptions extends JournalOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

export async function logs(
  id: string,
  step: string | undefined,
  options: LogsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  using signals = new StopSignals();
  const controller = new AbortController();
  signals.listen(() => controller.abort());
  const printer = createPrinter(handle.id, step, options, terminal);
  printer.begin();
  const labels = new StepLabels(handle);
  for await (const line of readLines(engine, handle, step, options, controller.signal)) {
    printer.line(await labels.beside(line));
    if (controller.signal.aborted) break;
  }
  printer.end();
  return signals.exitCode ?? EXIT_CODES.ok;
}

/** Those of a scope are what its steps wrote, and theirs. */
async function* readLines(
  engine: Engine,
  handle: ExecutionHandle,
  wanted: string | undefined,
  { follow = false }: LogsOptions,
  signal: AbortSignal,
): AsyncGenerator<LoggedLine> {
  if (wanted === undefined) return yield* engine.logs(handle.id, { follow, signal });
  const { name, isScope } = findStep(handle.id, await handle.status(), wanted);
  if (!isScope) return yield* engine.logs(handle.id, { step: name, follow, signal });
  for await (const line of engine.logs(handle.id, { follow, signal }))
    if (line.step === name || line.step.startsWith(`${name}/`)) yield line;
}

interface Printer {
  begin(): void;
  line(line: LoggedLine): void;
  end(): void;
}

function createPrinter(id: string, step: string | undefined, options: LogsOptions, terminal: Terminal): Printer {
  if (options.jsonl === true)
    return { begin, line: (line) => terminal.print(jsonLine({ executionId: id, ...line })), end: begin };
  if (options.json === true) return documentPrinter(id, terminal);
  const { palette, printsInColor: color } = terminal;
  return {
    begin,
    line: (line) => {
      const prefix = line.step === step ? {} : { prefix: writerName(line) };
      terminal.print(`${logText(line, { palette, color, ...prefix })}\n`);
    },
    end: begin,
  };
}

function begin(): void {}

/** One document, written as it goes: the lines of a long execution need not fit into memory. */
function documentPrinter(id: string, { print }: Terminal): Printer {
  let isFirst = true;
  return {
    begin: () => print(`{\n  "schemaVersion": 1,\n  "id": ${safeJsonLine(id)},\n  "lines": [`),
    line: (line) => {
      print(`${isFirst ? "" : ","}\n    ${safeJsonLine(line)}`);
      isFirst = false;
    },
    end: () => print(`${isFirst ? "" : "\n  "}]\n}\n`),
  };
}
