// Describes an event in one line that scrolls by.

import { groupedDigits } from "@segno/contract";
import type { WatchEvent } from "@segno/engine";
import type { Event, Vote } from "@segno/kernel";

import { shellWord } from "../terminal/shell-word.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { shorten } from "../terminal/text-layout.ts";
import { elapsedText } from "./elapsed-text.ts";
import { escalatedTask } from "./escalated-task.ts";
import type { FollowedExecution } from "./followed-execution.ts";
import { failureText } from "./failure-text.ts";
import { skipText, stopText, waitText } from "./reason-text.ts";
import type { ShownStep } from "./shown-step.ts";
import { labelText, titleText } from "./step-title.ts";

export interface ProgressLine {
  /** A sign that repeats the meaning of the colour. */
  readonly sign: string;
  readonly tone: "good" | "bad" | "caution" | "quiet" | "accent";
  /** The step of the event, if it has one. */
  readonly step?: string;
  /** The label of the map item that contains the step. */
  readonly label?: string | undefined;
  /** The text is not escaped yet; `lineText` escapes it. */
  readonly text: string;
  /** Shown only without a live region, which shows the same. */
  readonly isPassing?: boolean;
}

/** Longer messages are cut here; `show` prints them in full. */
const MESSAGE_COLUMNS_MAX = 500;
/** The number of steps that get a line each when they end together. */
const NAMED_TOGETHER_MAX = 3;

/** The execution has folded the event already. */
export function progressLines(watched: WatchEvent, execution: FollowedExecution): readonly ProgressLine[] {
  const { event } = watched;
  if ("step" in event && watched.step !== undefined && event.step !== undefined) {
    const line = stepLine(event, execution.step(event.step), execution);
    if (isUnremarkable(event) && execution.isInternal(event.step)) return [];
    if (line !== undefined) return [{ ...line, step: watched.step, label: execution.labelOf(event.step) }];
  }
  return executionLines(event, execution);
}

/** People did not write internal steps, so they see them only if something is wrong with them. */
function isUnremarkable({ kind }: Event): boolean {
  return kind === "step.started" || kind === "step.completed" || kind === "step.skipped";
}

/** With the label of the execution if several are shown. */
export function lineText(line: ProgressLine, palette: Palette, execution?: string): string {
  const { sign, tone, text } = line;
  const words = shorten(safeText(text), MESSAGE_COLUMNS_MAX);
  const whose = execution === undefined ? "" : `${palette.quiet(safeText(execution))} `;
  const name = nameText(line, palette);
  return `${palette[tone](sign)} ${whose}${tone === "quiet" ? palette.quiet(name + words) : name + words}`.trimEnd();
}

/** Ends with a space. A quiet line is painted as a whole. */
function nameText({ tone, step: name, label }: ProgressLine, palette: Palette): string {
  if (name === undefined) return "";
  if (tone === "quiet") return `${titleText({ name, label })} `;
  const beside = label === undefined ? "" : `${palette.quiet(labelText(label))} `;
  return `${palette.title(safeText(name))} ${beside}`;
}

/** The line for an execution that was active before it was tracked. */
export function joinedText({ id, workflow, progress }: FollowedExecution, palette: Palette): string {
  const { ended, total } = progress;
  const what = ended === 0 ? "" : `, ${ended} of ${total} done`;
  return `${palette.accent("▶")} ${palette.title(safeText(workflow))} ${safeText(id)} resumed${what}`;
}

/** The line for an execution that starts, if several are shown. */
export function begunText({ id, workflow }: FollowedExecution, palette: Palette): string {
  return `${palette.accent("▶")} ${palette.title(safeText(workflow))} ${safeText(id)} started`;
}

function stepLine(event: Event, step: ShownStep, execution: FollowedExecution): ProgressLine | undefined {
  const { attempts, attemptsMax: max } = step;
  switch (event.kind) {
    case "step.started":
      return {
        sign: "▶",
        tone: "accent",
        text: event.attempt > 1 ? attemptText(event.attempt, max) : "",
        isPassing: true,
      };
    case "step.completed":
      return {
        sign: "✓",
        tone: "good",
        text: joinParts(timeText(step), attempts > 1 && attemptText(attempts, max)),
      };
    case "step.recorded": {
      const text = `${safeText(event.name)} returned in ${elapsedText(event.at - event.startedAt)}`;
      return { sign: "•", tone: "quiet", text, isPassing: true };
    }
    case "step.retried": {
      const again = elapsedText(event.dueAt - event.at);
      const text = `${attemptText(attempts, max)} failed: ${failureText(event.failure)}; again in ${again}`;
      return { sign: "↻", tone: "caution", text };
    }
    case "step.failed": {
      const remark = joinParts(attempts > 1 && lastAttemptText(step), timeText(step));
      return { sign: "✗", tone: "bad", text: `${failureText(event.failure)}${remark === "" ? "" : ` (${remark})`}` };
    }
    case "step.skipped":
      return { sign: "-", tone: "quiet", text: skipText(event.reason, (index) => execution.nameOf(index)) };
    case "step.suspended":
      return {
        sign: "◷",
        tone: "quiet",
        text: waitText(event.wait, { now: event.at, timeText: elapsedText }) + workspaceHint(step, execution),
        isPassing: true,
      };
    case "step.overdue": {
      const text = `${event.failure.message}; it has ${elapsedText(event.forceAt - event.at)} to stop`;
      return { sign: "■", tone: "caution", text, isPassing: true };
    }
    case "step.lost":
      // A graceful end is part of a shutdown or of a park, which has its own line.
      if (event.graceful === true) return undefined;
      return { sign: "!", tone: "caution", text: `was lost and runs again: ${event.reason}` };
    case "step.cancelled":
      return { sign: "■", tone: "caution", text: stopText(event) };
    case "signal.refused":
      return { sign: "!", tone: "caution", text: `refused a signal: ${failureText(event.failure)}` };
    case "approval.refused":
      return { sign: "!", tone: "caution", text: `refused the vote of ${event.by}: ${failureText(event.failure)}` };
    case "approval.voted":
      return { sign: "→", tone: "accent", text: voteText(event) };
    default:
      return undefined;
  }
}

/** The message of an escalation names the kept workspace; the command that finds it again is named here. */
function workspaceHint({ name }: ShownStep, { isCodeWorkflow }: FollowedExecution): string {
  const task = isCodeWorkflow ? escalatedTask(name) : undefined;
  return task === undefined ? "" : ` (segno code open ${task})`;
}

const VERDICTS: Readonly<Record<Vote["verdict"], string>> = {
  approve: "approved it",
  reject: "rejected it",
  changes: "requests changes",
};

function voteText({ by, verdict, comment }: Vote): string {
  return `${by} ${VERDICTS[verdict]}${comment === undefined ? "" : `: ${comment}`}`;
}

function executionLines(event: Event, execution: FollowedExecution): readonly ProgressLine[] {
  switch (event.kind) {
    case "execution.paused":
      return [{ sign: "‖", tone: "caution", text: `paused; to resume it: segno resume ${shellWord(execution.id)}` }];
    case "execution.parked":
      return [{ sign: "!", tone: "caution", text: `parked: ${event.reason}` }];
    case "execution.resumed":
      return [{ sign: "▶", tone: "accent", text: "resumed" }];
    case "execution.reopened":
      return [{ sign: "▶", tone: "accent", text: `round ${event.round}: retrying ${roundText(event)}` }];
    case "execution.cancelling":
      return [{ sign: "■", tone: "caution", text: `cancelling: ${event.reason}` }];
    case "execution.compensating":
      return [{ sign: "↶", tone: "caution", text: `undoing ${stepCountText(event.steps.length)}` }];
    // The failed step has a line of its own.
    case "execution.failing":
      return event.step === undefined ? [{ sign: "✗", tone: "bad", text: failureText(event.failure) }] : [];
    case "signal.received":
      return [{ sign: "→", tone: "accent", text: `signal ${event.name} received` }];
    case "steps.skipped":
    case "steps.cancelled":
      return endedTogether(event, execution);
    default:
      return [];
  }
}

function roundText({ only }: Event & { readonly kind: "execution.reopened" }): string {
  return only === "tolerated" ? "the failures that were tolerated" : "the steps that did not succeed";
}

function endedTogether(
  event: Event & { readonly kind: "steps.skipped" | "steps.cancelled" },
  execution: FollowedExecution,
): readonly ProgressLine[] {
  const name = (index: number): string => execution.nameOf(index);
  const text = event.kind === "steps.skipped" ? skipText(event.reason, name) : "cancelled";
  const count = event.steps.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (count > NAMED_TOGETHER_MAX) return [{ sign: "-", tone: "quiet", text: `${stepCountText(count)} ${text}` }];
  return event.steps.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset): ProgressLine => {
      const index = first + offset;
      return { sign: "-", tone: "quiet", step: name(index), label: execution.labelOf(index), text };
    }),
  );
}

/** `attempt 2 of 3`, or without the maximum if it is unknown. */
export function attemptText(attempt: number, max: number | undefined): string {
  return max === undefined || max < attempt ? `attempt ${attempt}` : `attempt ${attempt} of ${max}`;
}

/** The last attempt; of a step that failed for good before the last allowed one, also why it is not tried again (FAIL-1). */
export function lastAttemptText({ status, detail, attempts, attemptsMax: max }: ShownStep): string {
  const isGivenUp = status === "failed" && detail.kind === "failure" && detail.failure.class === "permanent";
  if (!isGivenUp || max === undefined || attempts >= max) return attemptText(attempts, max);
  return `attempt ${attempts}, permanent, not tried again`;
}

/** A step that ended without an attempt or a wait took no time. */
export function timeText({ attempts, durationMs }: ShownStep): string | undefined {
  return durationMs === undefined || (attempts === 0 && durationMs === 0) ? undefined : elapsedText(durationMs);
}

function joinParts(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== false && part !== undefined && part !== "").join(", ");
}

function stepCountText(count: number): string {
  return `${groupedDigits(count)} ${count === 1 ? "step" : "steps"}`;
}
