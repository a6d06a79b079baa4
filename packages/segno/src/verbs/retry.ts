// `segno retry`: a failed execution opens a new round. With `--undo` only what could not be undone is tried again, also where
// the execution was cancelled. Where nobody owns the journal, it runs here, as with `segno run`.

import type { ExecutionHandle, ExecutionReport } from "@segno/engine";
import { GRACE_DEFAULT, isTerminalStatus, SegnoError } from "@segno/kernel";

import { sendControl, type ControlResult, type ControlRequest } from "../control/send-control.ts";
import { checkLog, startWorker } from "../worker/background-worker.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { requireTrust, type TrustOptions } from "../worker/journal-trust.ts";
import { commandName } from "../journal/journal-options.ts";
import { openToAsk, openToRead, openToWork } from "../journal/open-engine.ts";
import { workWords, type WorkOptions } from "../journal/work-options.ts";
import { replayProgress } from "../progress/replay-progress.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { requireSameWork } from "../journal/worker-note.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { runForeground, type ForegroundResult } from "../live/run-foreground.ts";
import { createView } from "../live/create-view.ts";
import { LogRouter } from "../live/log-router.ts";
import { StopSignals } from "../live/stop-signals.ts";
import type { ExecutionProgress } from "../progress/execution-progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printControlResult } from "../reports/control-report.ts";
import { reportEnd, sayFault, type EndOptions } from "../reports/end-report.ts";
import { withEngineShutdown } from "../live/engine-shutdown.ts";

export interface RetryCommandOptions extends WorkOptions, EndOptions, TrustOptions {
  readonly detach?: boolean;
  readonly quiet?: boolean;
  readonly undo?: boolean;
}

const ROUND: ControlRequest = {
  send: (handle) => handle.retry(),
  isSatisfied: () => false,
  isAllowed: (status) => status === "failed",
  // A round may be over before anybody has looked.
  hasTakenEffect: ({ round }, before) => round > before.round,
};

/** It ends as it had ended, so only the journal shows that it went on. */
const UNDO: ControlRequest = {
  send: (handle) => handle.retry({ undo: true }),
  isSatisfied: () => false,
  isAllowed: (status, { notUndone = [] }) => isTerminalStatus(status) && notUndone.length > 0,
  hasTakenEffect: ({ seq }, before) => seq > before.seq,
};

function toControlRequest({ undo = false }: RetryCommandOptions): ControlRequest {
  return undo ? UNDO : ROUND;
}

function commandWord({ undo = false }: RetryCommandOptions): string {
  return undo ? "undo" : "retry";
}

export async function retry(id: string, options: RetryCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const refusal = await explainRefusal(id, options, terminal);
  if (refusal !== undefined) return refusal;
  await requireTrust(options, terminal);
  return options.detach === true ? retryDetached(id, options, terminal) : retryInForeground(id, options, terminal);
}

/** Looked at before anything else: who is refused has begun nothing of what is unfinished. */
async function explainRefusal(
  id: string,
  options: RetryCommandOptions,
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  const report = await handle.status();
  const { status, payloadsRemovedAt } = report;
  if (payloadsRemovedAt !== undefined)
    throw new SegnoError("PAYLOAD_REMOVED", `the values that ${handle.id} would need were removed from the store`);
  if (toControlRequest(options).isAllowed(status, report)) return undefined;
  const answer: ControlResult = { kind: "refused", status };
  const hint = otherCommandHint(handle.id, report, options);
  return printControlResult({
    verb: commandWord(options),
    id: handle.id,
    answer,
    hint,
    isElsewhere: false,
    options,
    terminal,
  });
}

/** The other of the two, where that is possible. */
function otherCommandHint(id: string, report: ExecutionReport, options: RetryCommandOptions): string | undefined {
  const [other, words, what] =
    options.undo === true
      ? ([ROUND, "", "tries again what did not succeed"] as const)
      : ([UNDO, " --undo", "tries again what could not be undone"] as const);
  if (!other.isAllowed(report.status, report)) return undefined;
  return `${commandName()} retry ${shellWord(safeText(idPrefix(id)))}${words}${workWords(options)} ${what}`;
}

async function retryDetached(id: string, options: RetryCommandOptions, terminal: Terminal): Promise<ExitCode> {
  let handle: ExecutionHandle;
  let answer: ControlResult;
  {
    await using engine = await openToAsk(options);
    requireSameWork(engine, options);
    handle = await findExecution(engine, id);
    checkLog(options);
    answer = await sendControl(handle, toControlRequest(options));
  }
  if (answer.kind === "done") await startWorker(options);
  return printControlResult({
    verb: commandWord(options),
    id: handle.id,
    answer,
    isElsewhere: true,
    options,
    terminal,
  });
}

async function retryInForeground(id: string, options: RetryCommandOptions, terminal: Terminal): Promise<ExitCode> {
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, sayFault(view), "own");
    using router = new LogRouter(engine);
    return await withEngineShutdown({ engine, view, signals }, async () => {
      requireSameWork(engine, options);
      const handle = await findExecution(engine, id);
      // What happened in earlier rounds was told then.
      const progress = await replayProgress(handle);
      const answer = await sendControl(handle, toControlRequest(options));
      if (answer.kind !== "done" || !engine.isOwner) {
        view.close();
        const common = { verb: commandWord(options), id: handle.id, answer, isElsewhere: !engine.isOwner };
        return { exitCode: printControlResult({ ...common, options, terminal }), isDetached: false };
      }
      view.printNote(startLine(handle, options, terminal));
      const followed = { engine, handle, progress, view, feed: router, endsWhenParked: true };
      const result = await runForeground({ ...followed, signals, graceMs: GRACE_DEFAULT });
      await reportEnd({ handle, progress, result, terminal, options });
      return options.undo === true ? afterUndoing(result, progress, options, terminal) : result;
    });
  } finally {
    view.close();
  }
}

/** What the end of an execution gives; Ctrl-C and a closed terminal give others. */
const BY_EXECUTION: ReadonlySet<ExitCode> = new Set([EXIT_CODES.failed, EXIT_CODES.timeout]);

/** The execution stays failed or cancelled; who asked only for the undoing got it when nothing is left. */
function afterUndoing(
  result: ForegroundResult,
  { isEnded, notUndone }: ExecutionProgress,
  { jsonl = false }: RetryCommandOptions,
  terminal: Terminal,
): ForegroundResult {
  if (!isEnded || notUndone.length > 0 || !BY_EXECUTION.has(result.exitCode)) return result;
  if (!jsonl) terminal.report(`${terminal.reportPalette.good("nothing is left to undo")}\n`);
  return { ...result, exitCode: EXIT_CODES.ok };
}

function startLine(
  { id }: ExecutionHandle,
  options: RetryCommandOptions,
  { reportPalette: palette }: Terminal,
): string {
  const again = palette.accent(`${commandName()} work${workWords(options)}`);
  const what = options.undo === true ? `what could not be undone of ${safeText(id)}` : safeText(id);
  return `${what} is tried again; if this is interrupted: ${again}`;
}
