// The summary of an execution: how it ended, and the next commands.

import { groupedDigits } from "@segno/contract";
import { notUndoneText } from "@segno/engine";
import { effectiveVotes, type Vote, type Wait } from "@segno/kernel";

import { isErrorCode } from "../errors/catalogue.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import { elapsedText } from "./elapsed-text.ts";
import { escalatedTask } from "./escalated-task.ts";
import type { FollowedExecution } from "./followed-execution.ts";
import { rootFailure } from "./failure-text.ts";
import { parkFlag } from "./park-remedy.ts";
import { stepAbove } from "./shown-step.ts";
import { failedItemsText, stepTally, type Counted } from "./step-tally.ts";

const COUNTED: readonly Counted[] = ["succeeded", "undone", "failed", "skipped", "cancelled"];

/** Formats `release failed in 5.2s: 3 undone, 1 failed`. Each step counts once. */
export function summaryLine(execution: FollowedExecution, palette: Palette): string {
  const { workflow, status, beganAt, endedAt } = execution;
  const time = beganAt === undefined || endedAt === undefined ? "" : ` in ${elapsedText(endedAt - beganAt)}`;
  const tally = stepTally(execution);
  const counts = COUNTED.flatMap((each) => {
    const count = tally.get(each) ?? 0;
    return count === 0 ? [] : [`${groupedDigits(count)} ${each}`];
  });
  const shown = status === "none" ? "not started" : status;
  const tone = status === "completed" ? "good" : status === "failed" ? "bad" : "caution";
  const parts = [...counts, ...failedItemsText(execution)];
  const list = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  return `${palette.title(safeText(workflow))} ${palette[tone](shown)}${time}${list}`;
}

const MESSAGE_LINES_MAX = 12;

/** The code and the full message of the failure; nothing without a failure. */
export function failureLines({ failure }: FollowedExecution, palette: Palette): readonly string[] {
  if (failure === undefined) return [];
  const lines = safeLines(failure.message.replaceAll(/\r\n?/gu, "\n").trimEnd()).split("\n");
  const shown = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length > shown.length ? [palette.quiet(`  … ${lines.length - shown.length} more lines`)] : [];
  const [first = "", ...rest] = shown;
  return [`${palette.bad(safeText(rootFailure(failure).code))} ${first}`, ...rest.map((line) => `  ${line}`), ...more];
}

/** One line about steps that were not undone, with the command that retries the undo; nothing if all were. */
export function notUndoneLines(
  execution: FollowedExecution,
  palette: Palette,
  options: NextOptions,
): readonly string[] {
  const { notUndone, undoCount } = execution;
  if (notUndone.length === 0) return [];
  const again = palette.accent(commandLine(execution, options, "retry", "--undo"));
  return [`${palette.caution(safeText(notUndoneText(notUndone, undoCount)))}; to try again: ${again}`];
}

export interface NextOptions {
  /** The name of the command: `segno` or `npx segno`. */
  readonly command: string;
  /** The words that name a journal other than the default one. */
  readonly place: string;
  /** The words for commands that run steps, with the options of the last one; as `place` if absent. */
  readonly work?: string;
  /** A process runs the execution, so no other has to, but a command can watch it. */
  readonly isOwned?: boolean;
  /** A server has the execution: its own options count, and its folders are elsewhere. */
  readonly isRemote?: boolean;
}

type SummaryLine = (verb: string, ...words: readonly string[]) => string;

/** The commands that make sense in this status, the most useful one first. */
export function nextCommands(execution: FollowedExecution, options: NextOptions): readonly string[] {
  const { command, place, work = place } = options;
  const line: SummaryLine = (verb, ...words) => commandLine(execution, options, verb, ...words);
  switch (execution.status) {
    case "completed":
      return [...(execution.toleratedFailures === 0 ? [] : [line("retry", "--tolerated")]), line("show")];
    case "cancelled":
      return [line("show")];
    case "failed":
      return [
        ...failedStep(execution).map((step) => line("logs", step)),
        ...explainHint(execution, command),
        line("retry"),
      ];
    case "paused":
      return [line("why"), line("resume"), line("cancel")];
    case "parked":
      return [
        ...(options.isRemote === true ? [] : missingFlags(execution, work)).map(
          (flags) => `${command} work${work}${flags}`,
        ),
        line("why"),
        // A process that lacks the function would park it again.
        ...(execution.parkCause === "no-agent" ? [] : [line("resume")]),
        line("cancel"),
      ];
    default:
      return [
        ...workspaces(execution, options),
        ...answers(execution, line, options),
        ...(options.isOwned === true || options.isRemote === true ? [] : [`${command} work${work}`]),
        line("watch"),
      ];
  }
}

/** A flag that was given is not added: a file without the secret needs the secret, not the flag. */
function missingFlags({ parkCause }: FollowedExecution, work: string): readonly string[] {
  const found = parkFlag(parkCause);
  if (found === undefined) return [];
  return [work.includes(found.flag) ? "" : found.flag + found.value];
}

/** Shows how to name a step inside another step: the table has only the last part of the name. */
export function addressLines(execution: FollowedExecution, palette: Palette, options: NextOptions): readonly string[] {
  const inside = execution.steps.filter((step) => stepAbove(step) !== undefined);
  const example = inside.find(({ attempts }) => attempts > 0) ?? inside[0];
  const isSaid = execution.status === "failed" && failedStep(execution).some((name) => name.includes("/"));
  if (example === undefined || isSaid) return [];
  return [palette.quiet(`  name a step by its path: ${commandLine(execution, options, "logs", example.name)}`)];
}

export function commandLine(
  { id }: FollowedExecution,
  { command, place, work = place }: NextOptions,
  verb: string,
  ...words: readonly string[]
): string {
  const safe = [idPrefix(id), ...words].map((word) => shellWord(safeText(word)));
  return [command, verb, ...safe].join(" ") + (verb === "retry" ? work : place);
}

function failedStep({ failedStep: step }: FollowedExecution): readonly string[] {
  return step === undefined ? [] : [step];
}

function explainHint({ failure }: FollowedExecution, command: string): readonly string[] {
  const code = failure === undefined ? "" : rootFailure(failure).code;
  return isErrorCode(code) ? [`${command} explain ${code}`] : [];
}

/** Answers that the execution waits for come first, because nothing else continues it. */
function answers(
  execution: FollowedExecution,
  line: SummaryLine,
  { isRemote = false }: NextOptions,
): readonly string[] {
  const approval = firstWait(execution, "approval");
  const voters = approval === undefined || isRemote ? [] : voter(approval.wait, approval.votes);
  const signal = firstWait(execution, "signal");
  return [
    ...(approval === undefined ? [] : [line("approve", approval.name, ...voters, ...answerWords(approval.wait))]),
    ...(signal === undefined ? [] : [line("signal", signal.wait.signal)]),
  ];
}

/** A person looks at the kept workspace before the decision about a merge. */
function workspaces(execution: FollowedExecution, options: NextOptions): readonly string[] {
  const step =
    execution.isCodeWorkflow && options.isRemote !== true ? firstWait(execution, "approval")?.name : undefined;
  const task = step === undefined ? undefined : escalatedTask(step);
  if (task === undefined) return [];
  return [`${options.command} code open ${shellWord(safeText(task))} --id ${idPrefix(execution.id)}${options.place}`];
}

interface AnswerableStep<Kind extends Wait["kind"]> {
  readonly name: string;
  readonly wait: Extract<Wait, { readonly kind: Kind }>;
  readonly votes: readonly Vote[];
}

function firstWait<Kind extends Wait["kind"]>(
  execution: FollowedExecution,
  kind: Kind,
): AnswerableStep<Kind> | undefined {
  for (const index of execution.active) {
    const { name, detail } = execution.step(index);
    if (detail.kind === "wait" && detail.wait.kind === kind)
      return { name, wait: detail.wait as AnswerableStep<Kind>["wait"], votes: detail.votes ?? [] };
  }
  return undefined;
}

function answerWords({ needsAnswer }: Wait & { kind: "approval" }): readonly string[] {
  return needsAnswer === true ? ["--answer", "@answer.json"] : [];
}

/** If an approval names its voters: the first voter who has not voted. */
function voter({ by }: Wait & { kind: "approval" }, votes: readonly Vote[]): readonly string[] {
  const voted = new Set(effectiveVotes(votes).map((vote) => vote.by));
  const next = by?.find((each) => !voted.has(each));
  return next === undefined ? [] : ["--by", next];
}
