// `segno work`: goes on with everything that is unfinished, and with what others start, until there is nothing left to do or
// it is stopped.

import { groupedDigits } from "@segno/contract";
import type { Engine, ListedExecution } from "@segno/engine";

import { requireTrust, type TrustOptions } from "../executions/foreign-journal.ts";
import { commandName, journalFile } from "../executions/journal-place.ts";
import { listedExecutions, newestExecutions } from "../executions/listed.ts";
import { openToWork, workWords, type WorkOptions } from "../executions/open-engine.ts";
import { hasRunningSteps } from "../executions/running-here.ts";
import { prefixOf } from "../executions/short-id.ts";
import { UNDER_WAY } from "../executions/under-way.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { createView } from "../live/create-view.ts";
import { Crowd } from "../live/crowd.ts";
import { LeftOut } from "../live/left-out.ts";
import { StopSignals } from "../live/stop-signals.ts";
import type { View } from "../live/view.ts";
import { summaryLine } from "../progress/summary.ts";
import { safeText } from "../terminal/safe-text.ts";
import { whenNobodyReads, type Terminal } from "../terminal/terminal.ts";
import { sayFault } from "./end-report.ts";

export interface WorkVerbOptions extends WorkOptions, TrustOptions {
  readonly untilIdle?: boolean;
  readonly quiet?: boolean;
}

const LOOK_MS = 200;
const JOINED_MAX = 20;
/** How long steps have to end when it is stopped; then they are let go, and begin again at the next `segno work`. */
const DRAIN_MS = 5000;

export async function work(options: WorkVerbOptions, terminal: Terminal): Promise<ExitCode> {
  await requireTrust(options, terminal);
  using signals = new StopSignals();
  const view = createView(terminal, { ...options, isShared: true });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  whenNobodyReads(() => stop("stopped"));
  signals.listen((_, count) => (count === 1 ? stop("stopped") : process.exit(signals.exitCode)));
  try {
    const engine = await openToWork(options, sayFault(view), "all");
    const leftOut = new LeftOut(view);
    using crowd = new Crowd(engine, view, (progress) => view.say(summaryLine(progress, terminal.reportPalette)));
    const end = await Promise.race([attendAll(engine, crowd, { view, leftOut, options }), stopped]);
    if (end === "stopped") view.say("letting go; running steps have 5s to end (Ctrl-C again: at once)");
    await engine.close(end === "stopped" ? { drainMs: DRAIN_MS } : {});
    if (end === "stopped") view.say(`what is unfinished goes on with: ${commandName()} work${workWords(options)}`);
    return signals.exitCode ?? (leftOut.isEmpty ? EXIT_CODES.ok : EXIT_CODES.failed);
  } finally {
    view.close();
  }
}

interface Attended {
  readonly view: View;
  readonly leftOut: LeftOut;
  readonly options: WorkVerbOptions;
}

/** Ends when there is nothing left to do, if that is wanted; never otherwise. */
async function attendAll(engine: Engine, crowd: Crowd, { view, leftOut, options }: Attended): Promise<"idle"> {
  // In this order: one that is parked while it is joined would be told by nobody (W2).
  await joinSome(engine, crowd, view, leftOut);
  await sayParked(engine, view, leftOut);
  let said: string | undefined;
  for (;;) {
    const activity = await activityOf(engine, leftOut);
    const news = newsOf(engine, activity, options);
    if (news !== undefined && news !== said) view.say(news);
    said = news;
    if (activity === "idle" && options.untilIdle === true) return "idle";
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** `ending`: only executions that are paused or parked are left, and steps of them still run here (CANCEL-7). */
type Activity = "busy" | "ending" | "idle";

async function activityOf(engine: Engine, leftOut: LeftOut): Promise<Activity> {
  if (await isSomethingUnderWay(engine, leftOut)) return "busy";
  if (hasRunningSteps(engine)) return "ending";
  // What has just happened may not be written yet.
  return engine.internals.isQuiet ? "idle" : "busy";
}

/** Most often the first one says it; only where that one is left out are the others looked at. */
async function isSomethingUnderWay(engine: Engine, leftOut: LeftOut): Promise<boolean> {
  const { executions } = await engine.list({ status: UNDER_WAY, limit: 1 });
  if (executions.every((execution) => !leftOut.has(execution))) return executions.length > 0;
  for await (const execution of listedExecutions(engine, { status: UNDER_WAY }))
    if (!leftOut.has(execution)) return true;
  return false;
}

function newsOf(engine: Engine, activity: Activity, options: WorkVerbOptions): string | undefined {
  const file = safeText(journalFile(options));
  if (!engine.isOwner) return `another process owns ${file} and works on it; this one goes on when that one ends`;
  if (activity === "busy") return undefined;
  if (activity === "ending") return "nothing new starts; running steps end first";
  return options.untilIdle === true ? "there is nothing to do" : `there is nothing to do; waiting (Ctrl-C ends this)`;
}

/** What is under way; where that is much, the rest is shown when something happens to it. */
async function joinSome(engine: Engine, crowd: Crowd, view: View, leftOut: LeftOut): Promise<void> {
  const { executions, total } = await newestExecutions(engine, { status: UNDER_WAY }, JOINED_MAX);
  for (const execution of executions.toReversed())
    if (!leftOut.has(execution)) await leftOut.attempt(execution, () => crowd.join(execution.id));
  if (total > executions.length) view.say(`and ${groupedDigits(total - executions.length)} more go on`);
}

/** What only a person can set going again. */
async function sayParked(engine: Engine, view: View, leftOut: LeftOut): Promise<void> {
  for await (const execution of listedExecutions(engine, { status: ["parked", "paused"] })) {
    if (leftOut.has(execution)) continue;
    await leftOut.attempt(execution, async () => view.say(await parkedText(engine, execution)));
  }
}

async function parkedText(engine: Engine, { id, workflow, status }: ListedExecution): Promise<string> {
  const reasons = (await engine.why(id)).filter(({ step }) => step === undefined).map(({ text }) => text);
  const why = reasons.length === 0 ? `it is ${status}` : reasons.join("; ");
  return `! ${safeText(workflow)} ${safeText(prefixOf(id))}: ${safeText(why)}`;
}
