// The last words about an execution: how it ended, and what to type next.

import { groupedDigits } from "@segno/contract";
import { notUndoneText } from "@segno/engine";
import { effectiveVotes, type ParkCause, type Vote, type Wait } from "@segno/kernel";

import { isErrorCode } from "../errors/catalogue.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import { elapsedText } from "./elapsed-text.ts";
import type { ExecutionProgress } from "./execution-progress.ts";
import { rootFailure } from "./failure-text.ts";
import { stepAbove } from "./step-progress.ts";
import { stepTally, type Counted } from "./step-tally.ts";

const COUNTED: readonly Counted[] = ["succeeded", "undone", "failed", "skipped", "cancelled"];

/** `release failed in 5.2s: 3 undone, 1 failed`: each step once, as the table shows it, and what undoes others never. */
export function summaryLine(progress: ExecutionProgress, palette: Palette): string {
  const { workflow, status, beganAt, endedAt } = progress;
  const time = beganAt === undefined || endedAt === undefined ? "" : ` in ${elapsedText(endedAt - beganAt)}`;
  const tally = stepTally(progress);
  const counts = COUNTED.flatMap((each) => {
    const count = tally.get(each) ?? 0;
    return count === 0 ? [] : [`${groupedDigits(count)} ${each}`];
  });
  const tone = status === "completed" ? "good" : status === "failed" ? "bad" : "caution";
  const list = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  return `${palette.title(safeText(workflow))} ${palette[tone](status)}${time}${list}`;
}

const MESSAGE_LINES_MAX = 12;

/** The whole message of what made it fail, and the code behind it; nothing when nothing did. */
export function failureLines({ failure }: ExecutionProgress, palette: Palette): readonly string[] {
  if (failure === undefined) return [];
  const lines = safeLines(failure.message.replaceAll(/\r\n?/gu, "\n").trimEnd()).split("\n");
  const shown = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length > shown.length ? [palette.quiet(`  … ${lines.length - shown.length} more lines`)] : [];
  const [first = "", ...rest] = shown;
  return [`${palette.bad(safeText(rootFailure(failure).code))} ${first}`, ...rest.map((line) => `  ${line}`), ...more];
}

/** One line about what could not be undone, and the command that tries it again; nothing when nothing is left. */
export function notUndoneLines(progress: ExecutionProgress, palette: Palette, options: NextOptions): readonly string[] {
  const { notUndone, undoCount } = progress;
  if (notUndone.length === 0) return [];
  const again = palette.accent(commandLine(progress, options, "retry", "--undo"));
  return [`${palette.caution(safeText(notUndoneText(notUndone, undoCount)))}; to try again: ${again}`];
}

export interface NextOptions {
  /** How the command is called here: `segno` or `npx segno`. */
  readonly command: string;
  /** The words that name another journal than the usual one. */
  readonly place: string;
  /** The same for commands that run steps, with what the last one was given; as `place` when it is absent. */
  readonly work?: string;
  /** A process is at it: nobody else needs to work, but one can look on. */
  readonly isOwned?: boolean;
}

type SummaryLine = (verb: string, ...words: readonly string[]) => string;

/** Commands that make sense now, the most useful one first. */
export function nextCommands(progress: ExecutionProgress, options: NextOptions): readonly string[] {
  const { command, place, work = place } = options;
  const line: SummaryLine = (verb, ...words) => commandLine(progress, options, verb, ...words);
  switch (progress.status) {
    case "completed":
    case "cancelled":
      return [line("show")];
    case "failed":
      return [
        ...failedStep(progress).map((step) => line("logs", step)),
        ...explainHint(progress, command),
        line("retry"),
      ];
    case "paused":
      return [line("why"), line("resume"), line("cancel")];
    case "parked":
      return [
        ...missingFlags(progress, work).map((flags) => `${command} work${work}${flags}`),
        line("why"),
        line("resume"),
        line("cancel"),
      ];
    default:
      return [
        ...answers(progress, line),
        ...(options.isOwned === true ? [] : [`${command} work${work}`]),
        line("watch"),
      ];
  }
}

/** What a process has to be started with that goes on with an execution which this one lacked something for (FAIL-9). */
const FLAGS: readonly (readonly [cause: ParkCause, flag: string, value: string])[] = [
  ["no-secret", " --secrets", " FILE"],
  ["address-refused", " --allow-private-network", ""],
];

/** Nothing is added to flags that are there: a file that lacks a secret needs the secret. */
function missingFlags({ parkCause }: ExecutionProgress, work: string): readonly string[] {
  return FLAGS.filter(([cause]) => cause === parkCause).map(([, flag, value]) =>
    work.includes(flag) ? "" : flag + value,
  );
}

/** How a step inside another is called: the table has only the last part of its name. Nothing where that is said anyway. */
export function addressLines(progress: ExecutionProgress, palette: Palette, options: NextOptions): readonly string[] {
  const inside = progress.steps.filter((step) => stepAbove(step) !== undefined);
  const example = inside.find(({ attempt }) => attempt > 0) ?? inside[0];
  const isSaid = progress.status === "failed" && failedStep(progress).some((name) => name.includes("/"));
  if (example === undefined || isSaid) return [];
  return [palette.quiet(`  a step goes by its path: ${commandLine(progress, options, "logs", example.name)}`)];
}

function commandLine(
  { id }: ExecutionProgress,
  { command, place, work = place }: NextOptions,
  verb: string,
  ...words: readonly string[]
): string {
  const safe = [idPrefix(id), ...words].map((word) => shellWord(safeText(word)));
  return [command, verb, ...safe].join(" ") + (verb === "retry" ? work : place);
}

function failedStep({ culprit }: ExecutionProgress): readonly string[] {
  return culprit === undefined ? [] : [culprit.name];
}

function explainHint({ failure }: ExecutionProgress, command: string): readonly string[] {
  const code = failure === undefined ? "" : rootFailure(failure).code;
  return isErrorCode(code) ? [`${command} explain ${code}`] : [];
}

/** What people are asked for comes first: nothing else brings it further. */
function answers({ active }: ExecutionProgress, line: SummaryLine): readonly string[] {
  const asks = active.find(({ wait }) => wait?.kind === "approval");
  const listens = active.find(({ wait }) => wait?.kind === "signal");
  return [
    ...(asks?.wait?.kind === "approval" ? [line("approve", asks.name, ...voter(asks.wait, asks.votes))] : []),
    ...(listens?.wait?.kind === "signal" ? [line("signal", listens.wait.signal)] : []),
  ];
}

/** Where an approval names its voters, the first of those who have not voted. */
function voter({ by }: Wait & { kind: "approval" }, votes: readonly Vote[] = []): readonly string[] {
  const voted = new Set(effectiveVotes(votes).map((vote) => vote.by));
  const next = by?.find((each) => !voted.has(each));
  return next === undefined ? [] : ["--by", next];
}
