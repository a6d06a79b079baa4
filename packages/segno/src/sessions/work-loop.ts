// The loop of a worker: runs executions until there is nothing left to do, or until the command is stopped.

import { groupedDigits } from "@segno/contract";
import type { Engine, ListedExecution } from "@segno/engine";
import { pollUntil } from "@segno/engine/poll-until";

import { commandName, journalFile } from "../journal/journal-options.ts";
import { settleCodeSteps } from "../journal/code-steps.ts";
import { openToWork } from "../journal/open-engine.ts";
import { streamOutput } from "../live/stream-output.ts";
import { workWords, type WorkOptions } from "../journal/work-options.ts";
import { ExecutionsMonitor } from "../live/executions-monitor.ts";
import { SkippedExecutions } from "../live/skipped-executions.ts";
import type { StopSignals } from "../live/stop-signals.ts";
import type { View } from "../live/view.ts";
import { ACTIVE_STATUSES } from "../lookup/active-statuses.ts";
import { listedExecutions, newestExecutions } from "../lookup/listed-executions.ts";
import { hasRunningSteps } from "../lookup/running-steps.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { summaryLine } from "../progress/summary.ts";
import { printFault } from "../reports/end-report.ts";
import { withCommand } from "../reports/waiting-report.ts";
import { exitProcess } from "../terminal/process-exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { onBrokenPipe, type Terminal } from "../terminal/terminal.ts";
import type { TrustOptions } from "../worker/journal-trust.ts";

export interface WorkCommandOptions extends WorkOptions, TrustOptions {
  readonly untilIdle?: boolean;
  /** Another command has started this worker (`background-session.ts`). */
  readonly background?: boolean;
  readonly quiet?: boolean;
}

export interface WorkerSession {
  readonly options: WorkCommandOptions;
  readonly terminal: Terminal;
  readonly view: View;
  readonly signals: StopSignals;
}

const POLL_MS = 200;
const TRACKED_MAX = 20;
/** Running steps may take this long to finish when the worker stops. Others start again at the next `segno work`. */
const DRAIN_MS = 5000;

export interface WorkerEnd {
  /** Whether there was nothing left to do; otherwise the worker was stopped. */
  readonly isIdle: boolean;
  /** The executions that were left out because they cannot be read. */
  readonly skipped: SkippedExecutions;
}

export async function runWorker(session: WorkerSession): Promise<WorkerEnd> {
  const { options, terminal, view, signals } = session;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  onBrokenPipe(() => stop("stopped"));
  signals.listen((_, count) => (count === 1 ? stop("stopped") : exitProcess(signals.exitCode)));
  const engine = await openToWork(options, printFault(view), "all", streamOutput(terminal, view));
  const skipped = new SkippedExecutions(view);
  using monitor = new ExecutionsMonitor(engine, view, (execution) =>
    view.printNote(summaryLine(execution, terminal.reportPalette)),
  );
  const end = await Promise.race([workLoop(engine, monitor, { view, skipped, options }), stopped]);
  if (end === "stopped") view.printNote("stopping; running steps have 5s to finish (Ctrl-C again: stop at once)");
  await settleCodeSteps(engine);
  await engine.close(end === "stopped" ? { drainMs: DRAIN_MS } : {});
  if (end === "stopped") view.printNote(`to resume unfinished executions: ${commandName()} work${workWords(options)}`);
  return { isIdle: end === "idle", skipped };
}

interface WorkLoopOptions {
  readonly view: View;
  readonly skipped: SkippedExecutions;
  readonly options: WorkCommandOptions;
}

/** With `untilIdle`, returns when there is nothing left to do; otherwise never returns. */
async function workLoop(
  engine: Engine,
  monitor: ExecutionsMonitor,
  { view, skipped, options }: WorkLoopOptions,
): Promise<"idle"> {
  // In this order: an execution that is parked while `trackRecent` reads it would not be reported otherwise (W2).
  await trackRecent(engine, monitor, view, skipped);
  await printParked(engine, view, skipped);
  let printed: string | undefined;
  const look = async (): Promise<"idle" | undefined> => {
    const activity = await readActivity(engine, skipped);
    // Otherwise "nothing to do" would come before the end of the last execution.
    if (activity === "idle") await monitor.untilShown();
    const line = statusLine(engine, activity, options);
    if (line !== undefined && line !== printed) view.printNote(line);
    printed = line;
    return activity === "idle" && options.untilIdle === true ? "idle" : undefined;
  };
  return pollUntil(look, () => new Promise((resolve) => setTimeout(resolve, POLL_MS)));
}

/** `ending`: only paused or parked executions are left, and some of their steps still run here (CANCEL-7). */
type WorkerActivity = "busy" | "ending" | "idle";

async function readActivity(engine: Engine, skipped: SkippedExecutions): Promise<WorkerActivity> {
  if (await hasActiveExecutions(engine, skipped)) return "busy";
  if (hasRunningSteps(engine)) return "ending";
  // The latest events may not be durable yet, so the list of executions may be out of date.
  return engine.extensions.workload().isQuiet ? "idle" : "busy";
}

/** The first execution mostly decides; the others are read only if the first is skipped. */
export async function hasActiveExecutions(engine: Engine, skipped: SkippedExecutions): Promise<boolean> {
  const { executions } = await engine.list({ status: ACTIVE_STATUSES, limit: 1 });
  if (executions.every((execution) => !skipped.has(execution))) return executions.length > 0;
  for await (const execution of listedExecutions(engine, { status: ACTIVE_STATUSES }))
    if (!skipped.has(execution)) return true;
  return false;
}

function statusLine(engine: Engine, activity: WorkerActivity, options: WorkCommandOptions): string | undefined {
  const file = safeText(journalFile(options));
  if (!engine.isOwner)
    return `another process owns ${file} and runs its executions; this one takes over when that process ends`;
  if (activity === "busy") return undefined;
  if (activity === "ending") return "no new steps start; waiting for running steps to finish";
  return options.untilIdle === true ? "nothing to do" : "nothing to do; waiting (Ctrl-C stops)";
}

/** Tracks the newest active executions. Others are shown at their next event. */
async function trackRecent(
  engine: Engine,
  monitor: ExecutionsMonitor,
  view: View,
  skipped: SkippedExecutions,
): Promise<void> {
  const { executions, total } = await newestExecutions(engine, { status: ACTIVE_STATUSES }, TRACKED_MAX);
  for (const execution of executions.toReversed())
    if (!skipped.has(execution)) await skipped.attempt(execution, () => monitor.track(execution.id));
  if (total > executions.length) view.printNote(`and ${groupedDigits(total - executions.length)} more are active`);
}

/** Prints the executions that only a person can resume. */
async function printParked(engine: Engine, view: View, skipped: SkippedExecutions): Promise<void> {
  for await (const execution of listedExecutions(engine, { status: ["parked", "paused"] })) {
    if (skipped.has(execution)) continue;
    await skipped.attempt(execution, async () => view.printNote(await parkedText(engine, execution)));
  }
}

async function parkedText(engine: Engine, { id, workflow, status }: ListedExecution): Promise<string> {
  const reasons = (await engine.why(id)).filter(({ step }) => step === undefined).map((row) => withCommand(row).text);
  const why = reasons.length === 0 ? `it is ${status}` : reasons.join("; ");
  return `! ${safeText(workflow)} ${safeText(idPrefix(id))}: ${safeText(why)}`;
}
