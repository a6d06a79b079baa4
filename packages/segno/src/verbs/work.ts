// `segno work`: goes on with everything that is unfinished, and with what others start, until there is nothing left to do or
// it is stopped.

import { groupedDigits } from "@segno/contract";
import type { Engine, ListedExecution } from "@segno/engine";

import { requireTrust, type TrustOptions } from "../worker/journal-trust.ts";
import { commandName, journalFile } from "../journal/journal-options.ts";
import { listedExecutions, newestExecutions } from "../lookup/listed-executions.ts";
import { openToWork } from "../journal/open-engine.ts";
import { workWords, type WorkOptions } from "../journal/work-options.ts";
import { hasRunningSteps } from "../lookup/running-steps.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { ACTIVE_STATUSES } from "../lookup/active-statuses.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { createView } from "../live/create-view.ts";
import { ExecutionsMonitor } from "../live/executions-monitor.ts";
import { SkippedExecutions } from "../live/skipped-executions.ts";
import { StopSignals } from "../live/stop-signals.ts";
import type { View } from "../live/view.ts";
import { summaryLine } from "../progress/summary.ts";
import { safeText } from "../terminal/safe-text.ts";
import { onBrokenPipe, type Terminal } from "../terminal/terminal.ts";
import { sayFault } from "../reports/end-report.ts";

export interface WorkCommandOptions extends WorkOptions, TrustOptions {
  readonly untilIdle?: boolean;
  readonly quiet?: boolean;
}

const POLL_MS = 200;
const TRACKED_MAX = 20;
/** How long steps have to end when it is stopped; then they are let go, and begin again at the next `segno work`. */
const DRAIN_MS = 5000;

export async function work(options: WorkCommandOptions, terminal: Terminal): Promise<ExitCode> {
  await requireTrust(options, terminal);
  using signals = new StopSignals();
  const view = createView(terminal, { ...options, isShared: true });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  onBrokenPipe(() => stop("stopped"));
  signals.listen((_, count) => (count === 1 ? stop("stopped") : process.exit(signals.exitCode)));
  try {
    const engine = await openToWork(options, sayFault(view), "all");
    const skipped = new SkippedExecutions(view);
    using monitor = new ExecutionsMonitor(engine, view, (progress) =>
      view.printNote(summaryLine(progress, terminal.reportPalette)),
    );
    const end = await Promise.race([workLoop(engine, monitor, { view, leftOut: skipped, options }), stopped]);
    if (end === "stopped") view.printNote("letting go; running steps have 5s to end (Ctrl-C again: at once)");
    await engine.close(end === "stopped" ? { drainMs: DRAIN_MS } : {});
    if (end === "stopped")
      view.printNote(`what is unfinished goes on with: ${commandName()} work${workWords(options)}`);
    return signals.exitCode ?? (skipped.isEmpty ? EXIT_CODES.ok : EXIT_CODES.failed);
  } finally {
    view.close();
  }
}

interface WorkLoopOptions {
  readonly view: View;
  readonly leftOut: SkippedExecutions;
  readonly options: WorkCommandOptions;
}

/** Ends when there is nothing left to do, if that is wanted; never otherwise. */
async function workLoop(
  engine: Engine,
  monitor: ExecutionsMonitor,
  { view, leftOut: skipped, options }: WorkLoopOptions,
): Promise<"idle"> {
  // In this order: one that is parked while it is joined would be told by nobody (W2).
  await trackRecent(engine, monitor, view, skipped);
  await printParked(engine, view, skipped);
  let said: string | undefined;
  for (;;) {
    const activity = await readActivity(engine, skipped);
    const news = statusLine(engine, activity, options);
    if (news !== undefined && news !== said) view.printNote(news);
    said = news;
    if (activity === "idle" && options.untilIdle === true) return "idle";
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** `ending`: only executions that are paused or parked are left, and steps of them still run here (CANCEL-7). */
type WorkerActivity = "busy" | "ending" | "idle";

async function readActivity(engine: Engine, skipped: SkippedExecutions): Promise<WorkerActivity> {
  if (await hasActiveExecutions(engine, skipped)) return "busy";
  if (hasRunningSteps(engine)) return "ending";
  // What has just happened may not be written yet.
  return engine.extensions.workload().isQuiet ? "idle" : "busy";
}

/** Most often the first one says it; only where that one is left out are the others looked at. */
async function hasActiveExecutions(engine: Engine, skipped: SkippedExecutions): Promise<boolean> {
  const { executions } = await engine.list({ status: ACTIVE_STATUSES, limit: 1 });
  if (executions.every((execution) => !skipped.has(execution))) return executions.length > 0;
  for await (const execution of listedExecutions(engine, { status: ACTIVE_STATUSES }))
    if (!skipped.has(execution)) return true;
  return false;
}

function statusLine(engine: Engine, activity: WorkerActivity, options: WorkCommandOptions): string | undefined {
  const file = safeText(journalFile(options));
  if (!engine.isOwner) return `another process owns ${file} and works on it; this one goes on when that one ends`;
  if (activity === "busy") return undefined;
  if (activity === "ending") return "nothing new starts; running steps end first";
  return options.untilIdle === true ? "there is nothing to do" : `there is nothing to do; waiting (Ctrl-C ends this)`;
}

/** What is under way; where that is much, the rest is shown when something happens to it. */
async function trackRecent(
  engine: Engine,
  monitor: ExecutionsMonitor,
  view: View,
  skipped: SkippedExecutions,
): Promise<void> {
  const { executions, total } = await newestExecutions(engine, { status: ACTIVE_STATUSES }, TRACKED_MAX);
  for (const execution of executions.toReversed())
    if (!skipped.has(execution)) await skipped.attempt(execution, () => monitor.track(execution.id));
  if (total > executions.length) view.printNote(`and ${groupedDigits(total - executions.length)} more go on`);
}

/** What only a person can set going again. */
async function printParked(engine: Engine, view: View, skipped: SkippedExecutions): Promise<void> {
  for await (const execution of listedExecutions(engine, { status: ["parked", "paused"] })) {
    if (skipped.has(execution)) continue;
    await skipped.attempt(execution, async () => view.printNote(await parkedText(engine, execution)));
  }
}

async function parkedText(engine: Engine, { id, workflow, status }: ListedExecution): Promise<string> {
  const reasons = (await engine.why(id)).filter(({ step }) => step === undefined).map(({ text }) => text);
  const why = reasons.length === 0 ? `it is ${status}` : reasons.join("; ");
  return `! ${safeText(workflow)} ${safeText(idPrefix(id))}: ${safeText(why)}`;
}
