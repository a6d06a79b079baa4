// The last words about an execution: how it ended, and what to type next.

import { groupedDigits } from "@segno/contract";
import { CATALOGUE, type Failure, type StepStatus } from "@segno/kernel";

import { prefixOf, shellWord } from "../executions/short-id.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import { elapsedText } from "./elapsed-text.ts";
import type { ExecutionProgress } from "./execution-progress.ts";

const COUNTED: readonly StepStatus[] = ["succeeded", "failed", "skipped", "cancelled"];

/** `release failed in 5.2s: 3 succeeded, 1 failed`. */
export function summaryLine(progress: ExecutionProgress, palette: Palette): string {
  const { workflow, status, beganAt, endedAt } = progress;
  const time = beganAt === undefined || endedAt === undefined ? "" : ` in ${elapsedText(endedAt - beganAt)}`;
  const counts = COUNTED.flatMap((each) => {
    const count = progress.count(each);
    return count === 0 ? [] : [`${groupedDigits(count)} ${each}`];
  });
  const tone = status === "completed" ? "good" : status === "failed" ? "bad" : "caution";
  const list = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  return `${palette.title(safeText(workflow))} ${palette[tone](status)}${time}${list}`;
}

const MESSAGE_LINES_MAX = 12;

/** The whole message of what made it fail, and its code; nothing when nothing did. */
export function failureLines({ failure }: ExecutionProgress, palette: Palette): readonly string[] {
  if (failure === undefined) return [];
  const lines = safeLines(failure.message.replaceAll(/\r\n?/gu, "\n").trimEnd()).split("\n");
  const shown = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length > shown.length ? [palette.quiet(`  … ${lines.length - shown.length} more lines`)] : [];
  const [first = "", ...rest] = shown;
  return [`${palette.bad(safeText(failure.code))} ${first}`, ...rest.map((line) => `  ${line}`), ...more];
}

export interface NextOptions {
  /** How the command is called here: `segno` or `npx segno`. */
  readonly command: string;
  /** The words that name another journal than the usual one. */
  readonly place: string;
}

/** Commands that make sense now, the most useful one first. */
export function nextCommands(progress: ExecutionProgress, { command, place }: NextOptions): readonly string[] {
  const id = shellWord(safeText(prefixOf(progress.id)));
  const line = (verb: string, ...words: readonly string[]): string =>
    [command, verb, id, ...words.map((word) => shellWord(safeText(word)))].join(" ") + place;
  switch (progress.status) {
    case "completed":
    case "cancelled":
      return [line("show")];
    case "failed":
      return [
        ...failedStep(progress).map((step) => line("logs", step)),
        ...explained(progress, command),
        line("retry"),
      ];
    case "paused":
    case "parked":
      return [line("why"), line("resume"), line("cancel")];
    default:
      return [`${command} work${place}`, line("watch")];
  }
}

/** The step to look at: the first that failed and is no scope of another that did. */
function failedStep({ steps }: ExecutionProgress): readonly string[] {
  const failed = steps.filter(({ status }) => status === "failed").map(({ name }) => name);
  const first = failed.find((name) => !failed.some((other) => other.startsWith(`${name}/`)));
  return first === undefined ? [] : [first];
}

function explained({ failure }: ExecutionProgress, command: string): readonly string[] {
  return isKnown(failure) ? [`${command} explain ${failure.code}`] : [];
}

function isKnown(failure: Failure | undefined): failure is Failure {
  return failure !== undefined && Object.hasOwn(CATALOGUE, failure.code);
}
