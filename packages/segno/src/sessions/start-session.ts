// Starts an execution, in the foreground or for a background process.

import type { CheckedInput } from "@segno/contract";
import type { Engine, ExecutionHandle, StartOptions } from "@segno/engine";
import { GRACE_DEFAULT, type Definition } from "@segno/kernel";

import { untilRecorded } from "../control/until-recorded.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { commandName, journalFile } from "../journal/journal-options.ts";
import { openToRecord, openToWork } from "../journal/open-engine.ts";
import { workWords } from "../journal/work-options.ts";
import { requireSameWork } from "../journal/worker-note.ts";
import { createView } from "../live/create-view.ts";
import { LogRouter } from "../live/log-router.ts";
import { runForeground } from "../live/run-foreground.ts";
import { streamOutput } from "../live/stream-output.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { unfinishedText } from "../lookup/unfinished-executions.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { newExecution } from "../progress/load-execution.ts";
import { printFault, reportEnd } from "../reports/end-report.ts";
import { secretWarning } from "../reports/secret-warning.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkLog, startWorker } from "../worker/background-worker.ts";
import { withEngineShutdown } from "./engine-shutdown.ts";
import type { StartCommandOptions, StartRequest } from "./start-request.ts";

/** Returns when the execution is recorded; a background process runs it. */
export async function startDetached(
  request: StartRequest,
  options: StartCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { definition, workflow, input } = request;
  const engine = await openToRecord(options);
  let handle: ExecutionHandle;
  try {
    requireSameWork(engine, options);
    await register(engine, request, terminal);
    checkLog(options);
    handle = await startWorkflow(engine, workflow, input, options);
    await untilRecorded(engine, handle.id);
  } finally {
    await engine.close();
  }
  await startWorker(options);
  const { id } = handle;
  const isJson = options.json === true || options.jsonl === true;
  terminal.print(
    isJson ? `${safeJson({ schemaVersion: 1, id, workflow: definition.name, status: "running" })}\n` : `${id}\n`,
  );
  return EXIT_CODES.ok;
}

export async function startInForeground(
  request: StartRequest,
  options: StartCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { definition, workflow, input } = request;
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, printFault(view), "own", streamOutput(terminal, view));
    using router = new LogRouter(engine);
    return await withEngineShutdown({ engine, view, signals }, async () => {
      requireSameWork(engine, options);
      await register(engine, request, terminal);
      const others = engine.isOwner ? await unfinishedText(engine) : undefined;
      const handle = await startWorkflow(engine, workflow, input, options);
      if (others !== undefined) view.printNote(othersLine(others, options, terminal));
      view.printNote(startLine(definition, handle, engine, options, terminal));
      const { grace: graceMs = GRACE_DEFAULT } = definition;
      const { timeout: timeoutMs } = options;
      const followed = { engine, handle, view, feed: router, endsWhenParked: true };
      const result = await runForeground({ ...followed, signals, graceMs, ...omitUndefined({ timeoutMs }) });
      // Before the first event, the steps of the contract are all that is known.
      const { execution = await newExecution(engine, handle.id, engine.register(workflow).hash) } = result;
      await reportEnd({ handle, execution, result, terminal, options, isElsewhere: !engine.isOwner });
      return result;
    });
  } finally {
    view.close();
  }
}

function startWorkflow(
  engine: Engine,
  workflow: StartRequest["workflow"],
  input: CheckedInput,
  options: StartCommandOptions,
): Promise<ExecutionHandle> {
  // The command line gives the input as JSON, so its type is unknown.
  return engine.start(workflow as Definition, input, startOptions(options));
}

/** The execution belongs to the trace of the caller, if the environment names one; an empty variable names none. */
function startOptions({ id, key, priority, label: labels, correlation }: StartCommandOptions): StartOptions {
  const given = process.env["TRACEPARENT"];
  const traceparent = given === "" ? undefined : given;
  return omitUndefined({ id, idempotencyKey: key, priority, labels, correlationId: correlation, traceparent });
}

/**
 * Registers the workflows, and warns about the secrets that this process cannot resolve. A step may be skipped, so a missing
 * secret stops only the steps that need it (FAIL-9).
 */
async function register(engine: Engine, { workflow, called }: StartRequest, terminal: Terminal): Promise<void> {
  // The called workflows come first: the check of secrets includes the secrets of registered workflows that are called.
  for (const each of [...called, workflow]) engine.register(each);
  // If another process owns the journal, that process resolves the secrets; a missing one parks the execution (FAIL-9).
  const failure = engine.isOwner ? await engine.checkSecrets(workflow) : undefined;
  if (failure !== undefined) terminal.report(secretWarning(failure, terminal.reportPalette));
}

function othersLine(others: string, options: StartCommandOptions, { reportPalette: palette }: Terminal): string {
  return `unfinished and not resumed here: ${others}; to resume them: ${palette.accent(`${commandName()} work${workWords(options)}`)}`;
}

function startLine(
  { name }: Definition,
  { id }: ExecutionHandle,
  engine: Engine,
  options: StartCommandOptions,
  { reportPalette: palette }: Terminal,
): string {
  const again = palette.accent(`${commandName()} work${workWords(options)}`);
  const where = engine.isOwner
    ? ""
    : palette.quiet(`\nanother process owns ${safeText(journalFile(options))} and runs it; this command follows it`);
  return `${palette.title(safeText(name))} ${safeText(id)} started; if this is interrupted: ${again}${where}`;
}
