// The steps of an execution as a table: how each ended, in how many attempts, how long it took, and why.

import { groupedDigits } from "@segno/contract";
import type { StepStatus } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";
import { paintedLine, type Segment } from "../terminal/painted-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, padded, shortened } from "../terminal/text-layout.ts";
import { tickingText } from "./elapsed-text.ts";
import type { ExecutionProgress } from "./execution-progress.ts";
import { failureText, timeText } from "./progress-line.ts";
import { skipText, waitText } from "./reason-text.ts";
import { isActive, type StepProgress } from "./step-progress.ts";

export interface StepTableOptions {
  readonly palette: Palette;
  readonly columns: number;
  readonly now: number;
  /** At most so many rows; what succeeded or waits is left out first. */
  readonly rowsMax?: number;
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

export function stepTable(progress: ExecutionProgress, options: StepTableOptions): readonly string[] {
  const { steps } = progress;
  if (steps.length === 0) return [];
  const shown = chosen(steps, options.rowsMax ?? ROWS_MAX);
  const { palette, columns } = options;
  const nameWidth = Math.min(Math.floor(columns * NAME_SHARE_MAX), Math.max(4, ...shown.map(widthOf)));
  const head = `  ${padded("step", nameWidth)}  ${padded("status", STATUS_COLUMNS)}  attempts  ${"time".padStart(TIME_COLUMNS)}`;
  const left = steps.length - shown.length;
  return [
    paintedLine([{ text: head, paint: palette.quiet }], columns),
    ...shown.map((step) => paintedLine(rowOf(step, progress, nameWidth, options), columns)),
    ...(left > 0 ? [palette.quiet(`  and ${groupedDigits(left)} more that succeeded or wait`)] : []),
  ];
}

/** What needs to be looked at comes in first, and then as much of the rest as there is room for; the order stays. */
function chosen(steps: readonly StepProgress[], rowsMax: number): readonly StepProgress[] {
  if (steps.length <= rowsMax) return steps;
  const isOrdinary = ({ status }: StepProgress): boolean => status === "succeeded" || status === "waiting";
  const picked = new Set([...steps.filter((step) => !isOrdinary(step)), ...steps.filter(isOrdinary)].slice(0, rowsMax));
  return steps.filter((step) => picked.has(step));
}

function rowOf(
  step: StepProgress,
  progress: ExecutionProgress,
  nameWidth: number,
  { palette, now }: StepTableOptions,
): readonly Segment[] {
  const [sign, tone] = SIGNS[step.status];
  const attempts = step.attempt === 0 ? "-" : String(step.attempt);
  const remark = remarkOf(step, progress, now);
  return [
    { text: `${sign} `, paint: palette[tone] },
    { text: padded(shortened(safeText(step.name), nameWidth), nameWidth), paint: palette.title },
    { text: `  ${padded(step.status, STATUS_COLUMNS)}`, paint: palette[tone] },
    { text: `  ${attempts.padStart(ATTEMPTS_COLUMNS)}  ${spent(step, now).padStart(TIME_COLUMNS)}` },
    ...(remark === "" ? [] : [{ text: `  ${safeText(remark)}`, paint: palette.quiet }]),
  ];
}

function spent(step: StepProgress, now: number): string {
  if (isActive(step) && step.startedAt !== undefined) return tickingText(now - step.startedAt);
  return step.status === "skipped" ? "-" : (timeText(step) ?? "-");
}

function remarkOf(step: StepProgress, progress: ExecutionProgress, now: number): string {
  const { failure, skip, wait, votes, stopped } = step;
  if (failure !== undefined) return failureText(failure);
  if (skip !== undefined)
    return skipText(skip, (index) => progress.step(index)?.name ?? `#${index}`).replace(/^skipped(?:: )?/u, "");
  if (wait !== undefined) return waitText(wait, { now, votes });
  return stopped === "by-force" ? "ended by force" : "";
}

function widthOf({ name }: StepProgress): number {
  return displayWidth(safeText(name));
}
