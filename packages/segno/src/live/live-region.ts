// The live region: the active steps and the progress bar as lines of text. A pure function of progress, time and window.
//   L1. The region has at most ten lines, and at least two fewer than the window, so that log lines stay visible.
//   L2. Every line is narrower than the window, so that none wraps.
//   L3. The last line is the bar. Running steps come before waiting ones. Steps without a line are counted.

import { groupedDigits } from "@segno/contract";
import type { StepProgress } from "@segno/engine";
import type { StepStatus } from "@segno/kernel";

import { countdownText, tickingText } from "../progress/elapsed-text.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { failureText } from "../progress/failure-text.ts";
import { progressText } from "../progress/progress-text.ts";
import { attemptText } from "../progress/progress-line.ts";
import { waitText } from "../progress/reason-text.ts";
import { dueTime, type ShownStep } from "../progress/shown-step.ts";
import { titleText, titleWithin, type Titled } from "../progress/step-title.ts";
import type { Palette } from "../terminal/palette.ts";
import { paintedLine, type Segment } from "../terminal/painted-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";

export interface RegionOptions {
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
  /** Gives the label of an execution if several are shown; absent for a single one. */
  readonly label?: (execution: FollowedExecution) => string;
}

const LINES_MAX = 10;
const NAME_SHARE_MAX = 0.4;
const BAR_COLUMNS_MAX = 24;
/** A narrower window shows numbers without a bar. */
const BAR_WINDOW_MIN = 50;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPINNER_MS = 100;

/** Steps that are likely to end next come first. */
const ORDER: readonly StepStatus[] = ["running", "cancelling", "retrying", "suspended"];

interface RegionRow {
  readonly step: ShownStep;
  /** The time since when the step has its status. */
  readonly sinceAt: number | undefined;
  readonly title: Titled;
  readonly progress: StepProgress | undefined;
}

export function liveRegion(executions: readonly FollowedExecution[], options: RegionOptions): readonly string[] {
  const { columns, rows } = options;
  const room = Math.max(1, Math.min(LINES_MAX, rows - 2));
  const sums = addUp(executions);
  const { active } = sums;
  // One line is reserved for the bar, and one for the number of further steps if there are any.
  const places = active > room - 1 ? Math.max(0, room - 2) : room - 1;
  const shown = firstActive(executions, places).map((each) => toRegionRow(each, options));
  const nameWidth = Math.min(Math.floor(columns * NAME_SHARE_MAX), Math.max(0, ...shown.map(titleWidth)));
  const more = active - shown.length;
  const lines = [
    ...shown.map((each) => stepSegments(each, nameWidth, options)),
    ...(more > 0 && room > 1 ? [[{ text: `  and ${groupedDigits(more)} more`, paint: options.palette.quiet }]] : []),
    barSegments(executions, sums, options),
  ];
  return lines.map((segments) => paintedLine(segments, columns - 1));
}

interface ActiveStep {
  readonly execution: FollowedExecution;
  readonly index: number;
}

/** The active steps that come first. Rows are made for those only, because there may be 100,000 others. */
function firstActive(executions: readonly FollowedExecution[], places: number): readonly ActiveStep[] {
  const found = ORDER.map((): ActiveStep[] => []);
  for (const execution of executions) {
    if (found[0]!.length >= places) break;
    addActive(execution, found, places);
  }
  return found.flat().slice(0, places);
}

/** Adds at most as many steps of each status as there are places, and reads no further when it has them. */
function addActive(execution: FollowedExecution, found: readonly ActiveStep[][], places: number): void {
  let wanted = 0;
  for (const [place, status] of ORDER.entries())
    wanted += Math.min(places - found[place]!.length, execution.count(status));
  for (const index of execution.active) {
    if (wanted === 0) return;
    const those = found[ORDER.indexOf(execution.statusOf(index))]!;
    if (those.length >= places) continue;
    those.push({ execution, index });
    wanted--;
  }
}

function toRegionRow({ execution, index }: ActiveStep, { label }: RegionOptions): RegionRow {
  const step = execution.step(index);
  const name = label === undefined ? step.name : `${label(execution)} ${step.name}`;
  const title = { name, label: execution.labelOf(index) };
  return { step, sinceAt: execution.sinceOf(index), title, progress: execution.progressOf(index) };
}

function titleWidth({ title }: RegionRow): number {
  return displayWidth(titleText(title));
}

function stepSegments(row: RegionRow, nameWidth: number, options: RegionOptions): readonly Segment[] {
  const { palette, now } = options;
  const { step, title } = row;
  return [
    { text: `${statusSign(step, now)} `, paint: step.status === "running" ? palette.accent : palette.caution },
    { text: pad(titleWithin(title, nameWidth), nameWidth), paint: palette.title },
    { text: `  ${safeText(stateText(row, now))}`, paint: palette.quiet },
  ];
}

function statusSign({ status }: ShownStep, now: number): string {
  if (status === "running") return SPINNER[Math.floor(now / SPINNER_MS) % SPINNER.length]!;
  return status === "cancelling" ? "■" : status === "retrying" ? "↻" : "◷";
}

function stateText({ step, sinceAt = 0, progress }: RegionRow, now: number): string {
  const { status, attempts, attemptsMax: max, detail } = step;
  const leftMs = (dueTime(step) ?? now) - now;
  switch (status) {
    case "running":
      return [
        tickingText(now - sinceAt),
        ...(attempts > 1 ? [attemptText(attempts, max)] : []),
        ...(progress === undefined ? [] : [progressText(progress)]),
      ].join("  ");
    case "cancelling":
      return leftMs > 0 ? `is stopping, ${countdownText(leftMs)} left` : "is being killed";
    case "retrying": {
      const when = leftMs > 0 ? `again in ${countdownText(leftMs)}` : "waits for a slot";
      const why = detail.kind === "failure" ? `: ${failureText(detail.failure)}` : "";
      return `${when}, ${attemptText(attempts, max)} failed${why}`;
    }
    default:
      return detail.kind === "wait" ? waitText(detail.wait, { now, votes: detail.votes }) : "waits";
  }
}

function barSegments(
  executions: readonly FollowedExecution[],
  { total, done, items, itemsDone, failed }: RegionSums,
  options: RegionOptions,
): readonly Segment[] {
  const { palette, columns, now } = options;
  const width = columns < BAR_WINDOW_MIN ? 0 : Math.min(BAR_COLUMNS_MAX, Math.floor(columns / 4));
  const filled = total === 0 ? 0 : Math.floor(((done + itemsDone) / (total + items)) * width);
  const gap = width === 0 ? "" : "  ";
  return [
    { text: "━".repeat(filled), paint: palette.good },
    { text: "─".repeat(width - filled), paint: palette.quiet },
    { text: `${gap}${groupedDigits(done)} of ${groupedDigits(total)}` },
    ...(items === 0 ? [] : [{ text: `, ${groupedDigits(itemsDone)} of ${groupedDigits(items)} items` }]),
    ...remarks(executions, failed, options),
    ...elapsedText(executions, now).map((text) => ({ text, paint: palette.quiet })),
  ];
}

/** Failures and unusual statuses, shown before the time. */
function remarks(
  executions: readonly FollowedExecution[],
  failed: number,
  { palette }: RegionOptions,
): readonly Segment[] {
  const only = executions.length === 1 ? executions[0]! : undefined;
  const status = only === undefined || only.status === "running" ? undefined : only.status;
  return [
    ...(executions.length > 1 ? [{ text: ` in ${groupedDigits(executions.length)} executions` }] : []),
    ...(failed > 0 ? [{ text: `, ${groupedDigits(failed)} failed`, paint: palette.bad }] : []),
    ...(status === undefined || status === "none" ? [] : [{ text: `, ${status}`, paint: palette.caution }]),
  ];
}

function elapsedText(executions: readonly FollowedExecution[], now: number): readonly string[] {
  const only = executions.length === 1 ? executions[0]! : undefined;
  return only?.beganAt === undefined ? [] : [`, ${tickingText(now - only.beganAt)}`];
}

/** Numbers of steps and items over all executions. */
interface RegionSums {
  readonly active: number;
  readonly total: number;
  readonly done: number;
  readonly items: number;
  readonly itemsDone: number;
  readonly failed: number;
}

/** One pass, because 10,000 executions do not fit into the processor's cache. */
function addUp(executions: readonly FollowedExecution[]): RegionSums {
  let [active, total, done, items, itemsDone, failed] = [0, 0, 0, 0, 0, 0];
  for (const execution of executions) {
    active += execution.active.size;
    const { progress } = execution;
    total += progress.total;
    done += progress.ended;
    items += progress.items;
    itemsDone += progress.itemsEnded;
    failed += execution.count("failed");
  }
  return { active, total, done, items, itemsDone, failed };
}
