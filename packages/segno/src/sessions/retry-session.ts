// Retries an execution, in the foreground or for a background process.

import type { ExecutionHandle, ExecutionReport } from "@segno/engine";
import { GRACE_DEFAULT, SegnoError } from "@segno/kernel";

import { RETRY, RETRY_TOLERATED, RETRY_UNDO } from "../control/control-requests.ts";
import { sendControl, type ControlRequest, type ControlResult } from "../control/send-control.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { commandName } from "../journal/journal-options.ts";
import { openToAsk, openToWork } from "../journal/open-engine.ts";
import { workWords, type WorkOptions } from "../journal/work-options.ts";
import { requireSameWork } from "../journal/worker-note.ts";
import { createView } from "../live/create-view.ts";
import { LogRouter } from "../live/log-router.ts";
import { runForeground, type ForegroundResult } from "../live/run-foreground.ts";
import { streamOutput } from "../live/stream-output.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { idPrefix } from "../lookup/short-id.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { loadExecution } from "../progress/load-execution.ts";
import { parkRemedy } from "../progress/park-remedy.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";
import { openToControl, openToInspect } from "../remote/open-inspected.ts";
import { printControlResult } from "../reports/control-report.ts";
import { printFault, reportEnd, type EndOptions } from "../reports/end-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkLog, startWorker } from "../worker/background-worker.ts";
import type { TrustOptions } from "../worker/journal-trust.ts";
import { withEngineShutdown } from "./engine-shutdown.ts";

export interface RetryCommandOptions extends WorkOptions, EndOptions, TrustOptions {
  readonly quiet?: boolean;
  readonly undo?: boolean;
  readonly tolerated?: boolean;
}

function retryRequest({ undo = false, tolerated = false }: RetryCommandOptions): ControlRequest {
  if (undo) return RETRY_UNDO;
  return tolerated ? RETRY_TOLERATED : RETRY;
}

function verb({ undo = false }: RetryCommandOptions): string {
  return undo ? "undo" : "retry";
}

/** Reports why the retry is not possible; returns nothing if it is. */
export async function reportRefusal(
  id: string,
  options: RetryCommandOptions,
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  const report = await handle.status();
  const { status, payloadsRemovedAt } = report;
  if (payloadsRemovedAt !== undefined)
    throw new SegnoError("PAYLOAD_REMOVED", `${handle.id} cannot be retried: its values were removed from the store`);
  if (retryRequest(options).isAllowed(status, report)) return undefined;
  const answer: ControlResult = { kind: "refused", status };
  const hint = status === "parked" ? await parkHint(engine, handle.id) : otherRetryHint(handle.id, report, options);
  const common = { verb: verb(options), id: handle.id, answer, hint, isElsewhere: false };
  return printControlResult({ ...common, options, terminal });
}

/** A parked execution has not ended, so it is continued. */
async function parkHint(engine: InspectedEngine, id: string): Promise<string | undefined> {
  const parked = (await engine.why(id)).find(({ step, reason }) => step === undefined && reason.kind === "parked");
  return parked?.reason.kind === "parked" ? parkRemedy(parked.reason.cause, commandName()) : undefined;
}

/** The kinds of retry, each with its option and what it does. */
const RETRIES = [
  [RETRY, "", "retries the steps that did not succeed"],
  [RETRY_UNDO, " --undo", "retries the steps that could not be undone"],
  [RETRY_TOLERATED, " --tolerated", "runs the failures again that were tolerated"],
] as const;

/** Suggests another kind of retry, if that one is possible. */
function otherRetryHint(id: string, report: ExecutionReport, options: RetryCommandOptions): string | undefined {
  const other = RETRIES.find(([request]) => request.isAllowed(report.status, report));
  if (other === undefined) return undefined;
  const [, words, what] = other;
  return `${commandName()} retry ${shellWord(safeText(idPrefix(id)))}${words}${workWords(options)} ${what}`;
}

/** The server runs the execution; this command returns when the retry has begun. */
export async function retryOnServer(id: string, options: RetryCommandOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToControl(options);
  const handle = await findExecution(engine, id);
  const answer = await sendControl(handle, retryRequest(options));
  return printControlResult({ verb: verb(options), id: handle.id, answer, isElsewhere: true, options, terminal });
}

export async function retryDetached(id: string, options: RetryCommandOptions, terminal: Terminal): Promise<ExitCode> {
  let handle: ExecutionHandle;
  let answer: ControlResult;
  {
    await using engine = await openToAsk(options);
    requireSameWork(engine, options);
    handle = await findExecution(engine, id);
    checkLog(options);
    answer = await sendControl(handle, retryRequest(options));
  }
  if (answer.kind === "done") await startWorker(options);
  return printControlResult({ verb: verb(options), id: handle.id, answer, isElsewhere: true, options, terminal });
}

export async function retryInForeground(
  id: string,
  options: RetryCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, printFault(view), "own", streamOutput(terminal, view));
    using router = new LogRouter(engine);
    return await withEngineShutdown({ engine, view, signals }, async () => {
      requireSameWork(engine, options);
      const handle = await findExecution(engine, id);
      // Events of earlier rounds are folded without being shown.
      const execution = await loadExecution(engine, handle.id);
      const answer = await sendControl(handle, retryRequest(options));
      if (answer.kind !== "done" || !engine.isOwner) {
        view.close();
        const common = { verb: verb(options), id: handle.id, answer, isElsewhere: !engine.isOwner };
        return { exitCode: printControlResult({ ...common, options, terminal }), isDetached: false };
      }
      view.printNote(startLine(handle, options, terminal));
      const followed = { engine, handle, execution, view, feed: router, endsWhenParked: true };
      const result = await runForeground({ ...followed, signals, graceMs: GRACE_DEFAULT });
      await reportEnd({ handle, execution, result, terminal, options });
      return options.undo === true ? afterUndoing(result, execution, options, terminal) : result;
    });
  } finally {
    view.close();
  }
}

/** Exit codes that the end of an execution gives; Ctrl-C and a closed terminal give others. */
const BY_EXECUTION: ReadonlySet<ExitCode> = new Set([EXIT_CODES.failed, EXIT_CODES.timeout]);

/** The execution stays failed or cancelled, but `--undo` has succeeded when all steps are undone. */
function afterUndoing(
  result: ForegroundResult,
  { isEnded, notUndone }: FollowedExecution,
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
  const part = options.undo === true ? "the undo of " : options.tolerated === true ? "the tolerated failures of " : "";
  const what = `${part}${safeText(id)}`;
  return `retrying ${what}; if this is interrupted: ${again}`;
}
