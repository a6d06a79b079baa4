// `segno run`: starts an execution and follows it, or leaves it to a process in the background.

import { dirname, resolve } from "node:path";

import { rebaseModulePaths } from "@segno/contract";
import type { Engine, ExecutionHandle, StartOptions } from "@segno/engine";
import { GRACE_DEFAULT, type Definition, type Json } from "@segno/kernel";

import { loadCalled } from "../document/called-contracts.ts";
import { loadContractDocument } from "../document/contract-document.ts";
import { readInputArgument } from "../document/input-argument.ts";
import { isFitting, noInput } from "../document/input-check.ts";
import { STANDARD_INPUT } from "../document/standard-input.ts";
import { checkLog, startWorker } from "../worker/background-worker.ts";
import { requireTrust, type TrustOptions } from "../worker/journal-trust.ts";
import { commandName, journalFile } from "../journal/journal-options.ts";
import { openToRecord, openToWork } from "../journal/open-engine.ts";
import { workWords, type WorkOptions } from "../journal/work-options.ts";
import { untilRecorded } from "../control/until-recorded.ts";
import { unfinishedText } from "../lookup/unfinished-executions.ts";
import { requireSameWork } from "../journal/worker-note.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { runForeground, type ForegroundResult } from "../live/run-foreground.ts";
import { createView } from "../live/create-view.ts";
import { LogRouter } from "../live/log-router.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { ExecutionProgress } from "../progress/execution-progress.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { reportEnd, sayFault, type EndOptions } from "../reports/end-report.ts";
import { withEngineShutdown } from "../live/engine-shutdown.ts";
import { reportProblems } from "../reports/problem-report.ts";

export interface RunCommandOptions extends WorkOptions, EndOptions, TrustOptions {
  readonly with?: readonly string[];
  readonly input?: string;
  readonly detach?: boolean;
  readonly quiet?: boolean;
  readonly id?: string;
  readonly key?: string;
  readonly priority?: number;
  readonly timeout?: number;
}

const REFUSED: ForegroundResult = { exitCode: EXIT_CODES.invalid, isDetached: false };

export async function run(file: string, options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (file === STANDARD_INPUT && options.input === "@-")
    throw new UsageError("standard input can be the contract or its input, not both");
  const given = options.input === undefined ? undefined : await readInputArgument(options.input);
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") return reportProblems(loaded, terminal);
  const input = given === undefined ? noInput(loaded.definition) : given;
  if (!isFitting(loaded.definition, input, terminal)) return EXIT_CODES.invalid;
  const folder = file === STANDARD_INPUT ? process.cwd() : dirname(resolve(file));
  const definition = rebaseModulePaths(loaded.definition, folder, process.cwd());
  const called = await loadCalled(definition, folder, options.with ?? []);
  if (called.kind === "problems") return reportProblems(called, terminal);
  const start: Start = { definition, input, called: called.definitions };
  if (mayRunOthers(options)) await requireTrust(options, terminal);
  return options.detach === true ? runDetached(start, options, terminal) : runInForeground(start, options, terminal);
}

/** A key may stand for an execution that is there already, and a process in the background goes on with all there are. */
function mayRunOthers({ detach = false, key }: RunCommandOptions): boolean {
  return detach || key !== undefined;
}

/** What is to be started. */
interface Start {
  readonly definition: Definition;
  readonly input: Json;
  /** The workflows that it calls. */
  readonly called: readonly Definition[];
}

function startOptions({ id, key, priority }: RunCommandOptions): StartOptions {
  return omitUndefined({ id, idempotencyKey: key, priority });
}

/** Recorded before this ends; what comes then is for the process in the background. */
async function runDetached(start: Start, options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { definition, input } = start;
  const engine = await openToRecord(options);
  let handle: ExecutionHandle;
  try {
    requireSameWork(engine, options);
    if (!(await isReady(engine, start, terminal))) return EXIT_CODES.invalid;
    checkLog(options);
    handle = await engine.start(definition, input, startOptions(options));
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

/** Makes the workflows known; whether every secret that they name can be had where they run. Says which cannot. */
async function isReady(engine: Engine, { definition, called }: Start, terminal: Terminal): Promise<boolean> {
  // The secrets of a workflow are also those of the workflows that it calls, as far as those are known.
  for (const workflow of [...called, definition]) engine.register(workflow);
  // Elsewhere others are known, and what that process lacks parks the execution (FAIL-9).
  const failure = engine.isOwner ? await engine.checkSecrets(definition) : undefined;
  if (failure !== undefined)
    terminal.report(`${terminal.reportPalette.bad(failure.code)} ${safeText(failure.message)}\n`);
  return failure === undefined;
}

async function runInForeground(start: Start, options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { definition, input } = start;
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, sayFault(view), "own");
    using router = new LogRouter(engine);
    return await withEngineShutdown({ engine, view, signals }, async () => {
      requireSameWork(engine, options);
      if (!(await isReady(engine, start, terminal))) return REFUSED;
      const others = engine.isOwner ? await unfinishedText(engine) : undefined;
      const handle = await engine.start(definition, input, startOptions(options));
      if (others !== undefined) view.printNote(othersLine(others, options, terminal));
      view.printNote(startLine(definition, handle, engine, options, terminal));
      const progress = new ExecutionProgress(handle.id);
      const { grace: graceMs = GRACE_DEFAULT } = definition;
      const { timeout: timeoutMs } = options;
      const followed = { engine, handle, progress, view, feed: router, endsWhenParked: true };
      const result = await runForeground({ ...followed, signals, graceMs, ...omitUndefined({ timeoutMs }) });
      await reportEnd({ handle, progress, result, terminal, options, isElsewhere: !engine.isOwner });
      return result;
    });
  } finally {
    view.close();
  }
}

function othersLine(others: string, options: RunCommandOptions, { reportPalette: palette }: Terminal): string {
  return `unfinished and left alone: ${others}; to go on with them: ${palette.accent(`${commandName()} work${workWords(options)}`)}`;
}

function startLine(
  { name }: Definition,
  { id }: ExecutionHandle,
  engine: Engine,
  options: RunCommandOptions,
  { reportPalette: palette }: Terminal,
): string {
  const again = palette.accent(`${commandName()} work${workWords(options)}`);
  const where = engine.isOwner
    ? ""
    : palette.quiet(`\nanother process owns ${safeText(journalFile(options))} and runs it; it is followed here`);
  return `${palette.title(safeText(name))} ${safeText(id)} started; if this is interrupted: ${again}${where}`;
}
