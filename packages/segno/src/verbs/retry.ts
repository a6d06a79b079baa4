// `segno retry`: a failed execution opens a new round. With `--undo` only what could not be undone is tried again, also where
// the execution was cancelled. Where nobody owns the journal, it runs here, as with `segno run`.

import type { ExecutionHandle, ExecutionReport } from "@segno/engine";
import { GRACE_DEFAULT, isTerminalStatus, SegnoError } from "@segno/kernel";

import { ask, type Answer, type Wish } from "../executions/ask.ts";
import { checkLog, startWorker } from "../executions/background-worker.ts";
import { findExecution } from "../executions/find-execution.ts";
import { requireTrust, type TrustOptions } from "../executions/foreign-journal.ts";
import { commandName } from "../executions/journal-place.ts";
import { openToAsk, openToRead, openToWork, workWords, type WorkOptions } from "../executions/open-engine.ts";
import { recount } from "../executions/recount.ts";
import { prefixOf, shellWord } from "../executions/short-id.ts";
import { requireSameWork } from "../executions/worker-note.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { attend, type Attendance } from "../live/attend.ts";
import { createView } from "../live/create-view.ts";
import { LogFeed } from "../live/log-feed.ts";
import { StopSignals } from "../live/stop-signals.ts";
import type { ExecutionProgress } from "../progress/execution-progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportAnswer } from "./answer-report.ts";
import { reportEnd, sayFault, type EndOptions } from "./end-report.ts";
import { letGoOf } from "./let-go.ts";

export interface RetryOptions extends WorkOptions, EndOptions, TrustOptions {
  readonly detach?: boolean;
  readonly quiet?: boolean;
  readonly undo?: boolean;
}

const ROUND: Wish = {
  make: (handle) => handle.retry(),
  isThere: () => false,
  isPossible: (status) => status === "failed",
  // A round may be over before anybody has looked.
  isMet: ({ round }, before) => round > before.round,
};

/** It ends as it had ended, so only the journal shows that it went on. */
const UNDO: Wish = {
  make: (handle) => handle.retry({ undo: true }),
  isThere: () => false,
  isPossible: (status, { notUndone = [] }) => isTerminalStatus(status) && notUndone.length > 0,
  isMet: ({ seq }, before) => seq > before.seq,
};

function wishOf({ undo = false }: RetryOptions): Wish {
  return undo ? UNDO : ROUND;
}

function verbOf({ undo = false }: RetryOptions): string {
  return undo ? "undo" : "retry";
}

export async function retry(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  const refusal = await refused(id, options, terminal);
  if (refusal !== undefined) return refusal;
  await requireTrust(options, terminal);
  return options.detach === true ? detached(id, options, terminal) : attended(id, options, terminal);
}

/** Looked at before anything else: who is refused has begun nothing of what is unfinished. */
async function refused(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode | undefined> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  const report = await handle.status();
  const { status, payloadsRemovedAt } = report;
  if (payloadsRemovedAt !== undefined)
    throw new SegnoError("PAYLOAD_REMOVED", `the values that ${handle.id} would need were removed from the store`);
  if (wishOf(options).isPossible(status, report)) return undefined;
  const answer: Answer = { kind: "refused", status };
  const hint = hintOf(handle.id, report, options);
  return reportAnswer({ verb: verbOf(options), id: handle.id, answer, hint, isElsewhere: false, options, terminal });
}

/** The other of the two, where that is possible. */
function hintOf(id: string, report: ExecutionReport, options: RetryOptions): string | undefined {
  const [other, words, what] =
    options.undo === true
      ? ([ROUND, "", "tries again what did not succeed"] as const)
      : ([UNDO, " --undo", "tries again what could not be undone"] as const);
  if (!other.isPossible(report.status, report)) return undefined;
  return `${commandName()} retry ${shellWord(safeText(prefixOf(id)))}${words}${workWords(options)} ${what}`;
}

async function detached(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  let handle: ExecutionHandle;
  let answer: Answer;
  {
    await using engine = await openToAsk(options);
    requireSameWork(engine, options);
    handle = await findExecution(engine, id);
    checkLog(options);
    answer = await ask(handle, wishOf(options));
  }
  if (answer.kind === "done") await startWorker(options);
  return reportAnswer({ verb: verbOf(options), id: handle.id, answer, isElsewhere: true, options, terminal });
}

async function attended(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, sayFault(view), "own");
    using feed = new LogFeed(engine);
    return await letGoOf({ engine, view, signals }, async () => {
      requireSameWork(engine, options);
      const handle = await findExecution(engine, id);
      // What happened in earlier rounds was told then.
      const progress = await recount(handle);
      const answer = await ask(handle, wishOf(options));
      if (answer.kind !== "done" || !engine.isOwner) {
        view.close();
        const common = { verb: verbOf(options), id: handle.id, answer, isElsewhere: !engine.isOwner };
        return { exitCode: reportAnswer({ ...common, options, terminal }), isLetGo: false };
      }
      view.say(startLine(handle, options, terminal));
      const followed = { engine, handle, progress, view, feed, endsWhenParked: true };
      const attendance = await attend({ ...followed, signals, graceMs: GRACE_DEFAULT });
      await reportEnd({ handle, progress, attendance, terminal, options });
      return options.undo === true ? afterUndoing(attendance, progress, options, terminal) : attendance;
    });
  } finally {
    view.close();
  }
}

/** What the end of an execution gives; Ctrl-C and a closed terminal give others. */
const BY_EXECUTION: ReadonlySet<ExitCode> = new Set([EXIT_CODES.failed, EXIT_CODES.timeout]);

/** The execution stays failed or cancelled; who asked only for the undoing got it when nothing is left. */
function afterUndoing(
  attendance: Attendance,
  { isEnded, notUndone }: ExecutionProgress,
  { jsonl = false }: RetryOptions,
  terminal: Terminal,
): Attendance {
  if (!isEnded || notUndone.length > 0 || !BY_EXECUTION.has(attendance.exitCode)) return attendance;
  if (!jsonl) terminal.report(`${terminal.reportPalette.good("nothing is left to undo")}\n`);
  return { ...attendance, exitCode: EXIT_CODES.ok };
}

function startLine({ id }: ExecutionHandle, options: RetryOptions, { reportPalette: palette }: Terminal): string {
  const again = palette.accent(`${commandName()} work${workWords(options)}`);
  const what = options.undo === true ? `what could not be undone of ${safeText(id)}` : safeText(id);
  return `${what} is tried again; if this is interrupted: ${again}`;
}
