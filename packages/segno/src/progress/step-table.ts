// The table of steps, drawn as a tree: status, attempts, duration and reason of each step.

import { groupedDigits } from "@segno/contract";
import type { StepProgress } from "@segno/engine";
import type { StepStatus } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";
import { paintedLine, type Segment } from "../terminal/painted-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";
import { tickingText } from "./elapsed-text.ts";
import type { FollowedExecution } from "./followed-execution.ts";
import { failureText } from "./failure-text.ts";
import { progressText } from "./progress-text.ts";
import { timeText } from "./progress-line.ts";
import { skipText, stopText, waitText } from "./reason-text.ts";
import { isActive, skipReason, type ShownStep } from "./shown-step.ts";
import { titleText, titleWithin, type Titled } from "./step-title.ts";
import { chosenSteps, treeRows, type TreeRow } from "./step-tree.ts";

export interface StepTableOptions {
  readonly palette: Palette;
  readonly columns: number;
  readonly now: number;
  /** The maximum number of rows; steps that succeeded or wait are omitted first. */
  readonly rowsMax?: number;
  /** No process runs the execution, so steps that the journal shows as running do not run. */
  readonly orphaned?: boolean;
}

const ROWS_MAX = 40;
const NAME_SHARE_MAX = 0.4;
const STATUS_COLUMNS = 10;
const ATTEMPTS_COLUMNS = 8;
const TIME_COLUMNS = 7;

const SIGNS: Readonly<Record<StepStatus, readonly [sign: string, tone: keyof Palette]>> = {
  succeeded: ["✓", "good"],
  failed: ["✗", "bad"],
  skipped: ["-", "quiet"],
  cancelled: ["■", "caution"],
  running: ["▶", "accent"],
  retrying: ["↻", "caution"],
  suspended: ["◷", "caution"],
  cancelling: ["■", "caution"],
  open: ["▸", "accent"],
  waiting: ["·", "quiet"],
  ready: ["·", "quiet"],
  queued: ["·", "quiet"],
};

interface Standing {
  readonly sign: string;
  readonly tone: keyof Palette;
  readonly status: string;
}

/** A step that was undone is shown as undone, although it succeeded. */
const UNDONE: Standing = { sign: "↺", tone: "caution", status: "undone" };
/** The process of the step ended without an event; the step runs again when another process resumes the execution. */
const LOST: Standing = { sign: "!", tone: "caution", status: "lost" };

/** Without a process no step is queued. */
function statusSign(step: ShownStep, orphaned: boolean): Standing {
  const { status, undone } = step;
  if (undone === true) return UNDONE;
  if (orphaned && status === "running") return LOST;
  if (orphaned && status === "queued") return statusSign({ ...step, status: "ready" }, false);
  const [sign, tone] = SIGNS[status];
  return { sign, tone, status };
}

export function stepTable(execution: FollowedExecution, options: StepTableOptions): readonly string[] {
  const steps = execution.steps.filter((step) => !isUnremarkable(step) || !execution.isInternal(step.index));
  if (steps.length === 0) return [];
  const shown = chooseRows(steps, options.rowsMax ?? ROWS_MAX);
  const rows = treeRows(shown).map((row) => ({ ...row, label: execution.labelOf(row.step.index) }));
  const { palette, columns } = options;
  const nameWidth = Math.min(Math.floor(columns * NAME_SHARE_MAX), Math.max(4, ...rows.map(rowWidth)));
  const head = `  ${pad("step", nameWidth)}  ${pad("status", STATUS_COLUMNS)}  attempts  ${"time".padStart(TIME_COLUMNS)}`;
  return [
    paintedLine([{ text: head, paint: palette.quiet }], columns),
    ...rows.map((row) => paintedLine(renderRow(row, execution, nameWidth, options), columns)),
    ...leftOut(steps, shown).map((line) => palette.quiet(line)),
  ];
}

/** Chooses steps that need attention first, then others until the table is full. The order of steps is kept. */
function chooseRows(steps: readonly ShownStep[], rowsMax: number): readonly ShownStep[] {
  if (steps.length <= rowsMax) return steps;
  const first = [...steps.filter((step) => !isOrdinary(step)), ...steps.filter(isOrdinary)];
  return chosenSteps(steps, first, rowsMax);
}

function isOrdinary({ status }: ShownStep): boolean {
  return status === "succeeded" || status === "waiting" || status === "ready" || status === "queued";
}

/** An internal step in such a status has no row. */
function isUnremarkable(step: ShownStep): boolean {
  return isOrdinary(step) || step.status === "skipped";
}

function leftOut(steps: readonly ShownStep[], shown: readonly ShownStep[]): readonly string[] {
  const left = steps.length - shown.length;
  if (left === 0) return [];
  const isAll = count(steps, isOrdinary) - count(shown, isOrdinary) === left;
  return [`  and ${groupedDigits(left)} more${isAll ? " that succeeded or wait" : ""}`];
}

function count(steps: readonly ShownStep[], isCounted: (step: ShownStep) => boolean): number {
  return steps.reduce((sum, step) => sum + (isCounted(step) ? 1 : 0), 0);
}

/** Labels are computed for the rows that are shown, not for all steps. */
interface LabelledRow extends TreeRow {
  readonly label: string | undefined;
}

function renderRow(
  row: LabelledRow,
  execution: FollowedExecution,
  nameWidth: number,
  { palette, now, orphaned = false }: StepTableOptions,
): readonly Segment[] {
  const { step } = row;
  const { sign, tone, status } = statusSign(step, orphaned);
  const attempts = step.attempts === 0 ? "-" : String(step.attempts);
  const remark = orphaned && step.status === "running" ? "" : stepRemark(step, execution, now);
  return [
    { text: `${sign} `, paint: palette[tone] },
    { text: pad(titleIn(row, nameWidth), nameWidth), paint: palette.title },
    { text: `  ${pad(status, STATUS_COLUMNS)}`, paint: palette[tone] },
    { text: `  ${attempts.padStart(ATTEMPTS_COLUMNS)}  ${timeSpentText(step, now).padStart(TIME_COLUMNS)}` },
    ...(remark === "" ? [] : [{ text: `  ${safeText(remark)}`, paint: palette.quiet }]),
  ];
}

/** The called workflow follows the name if there is room for it. */
function titleIn(row: LabelledRow, columns: number): string {
  const title = titleWithin(toTitled(row), columns);
  const call = calledText(row.step);
  return displayWidth(title) + displayWidth(call) <= columns ? title + call : title;
}

function toTitled({ branch, name, label }: LabelledRow): Titled {
  return { name: branch + name, label };
}

function calledText({ workflow }: ShownStep): string {
  return workflow === undefined ? "" : ` → ${safeText(workflow)}`;
}

function timeSpentText(step: ShownStep, now: number): string {
  if (isActive(step) && step.startedAt !== undefined) return tickingText(now - step.startedAt);
  return step.status === "skipped" ? "-" : (timeText(step) ?? "-");
}

function stepRemark(step: ShownStep, execution: FollowedExecution, now: number): string {
  const { detail } = step;
  const skip = skipReason(step);
  if (skip !== undefined) return skipText(skip, (index) => execution.nameOf(index)).replace(/^skipped(?:: )?/u, "");
  switch (detail.kind) {
    case "failure":
      return failureText(detail.failure);
    case "wait":
      return waitText(detail.wait, { now, votes: detail.votes });
    case "stopped":
      return stopText(detail).replace(/^cancelled(?:: )?/u, "");
    default:
      return remarkOfProgress(execution.progressOf(step.index));
  }
}

function remarkOfProgress(progress: StepProgress | undefined): string {
  return progress === undefined ? "" : progressText(progress);
}

function rowWidth(row: LabelledRow): number {
  return displayWidth(titleText(toTitled(row)) + calledText(row.step));
}
