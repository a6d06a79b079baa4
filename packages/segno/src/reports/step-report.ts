// The report of `segno show <id> <step>`: one step with its values, attempts, recorded calls and the end of its log.

import { groupedDigits } from "@segno/contract";
import type { StepArtifact } from "@segno/kernel";

import { commandName, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { logText } from "../live/log-text.ts";
import { elapsedText, tickingText } from "../progress/elapsed-text.ts";
import { failureText, rootFailure } from "../progress/failure-text.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import type { FailedInside, ScopeSummary } from "../progress/scope-summary.ts";
import { isActive, type ShownStep } from "../progress/shown-step.ts";
import type { ShownValue } from "../progress/shown-value.ts";
import type { ShownAttempt } from "../progress/step-attempts.ts";
import type { LogTail, ShownCall, StepInspection } from "../progress/step-inspection.ts";
import { lastAttemptText } from "../progress/progress-line.ts";
import { progressText } from "../progress/progress-text.ts";
import { titleText } from "../progress/step-title.ts";
import { commandLine } from "../progress/summary.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad, shorten } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";
import { artifactLines } from "./artifact-lines.ts";
import { failureChain } from "./failure-chain.ts";
import { valueLine, valueLines } from "./value-lines.ts";
import { withCommand, withoutProcess } from "./waiting-report.ts";

const VALUE_LINES_MAX = 20;
const ATTEMPTS_MAX = 20;
const ARTIFACTS_MAX = 20;
const CALLS_MAX = 40;
const FAILED_MAX = 20;
const CALL_NAME_COLUMNS_MAX = 30;

export interface StepReportOptions extends JournalOptions {
  readonly orphaned: boolean;
  readonly now: number;
}

/** The surroundings of every part of the report. */
interface ReportPage extends StepReportOptions {
  readonly execution: FollowedExecution;
  readonly terminal: Pick<Terminal, "palette" | "columns" | "printsInColor">;
  /** Returns a command for this execution. */
  readonly command: (verb: string, ...words: readonly string[]) => string;
}

export function stepReport(
  inspection: StepInspection,
  execution: FollowedExecution,
  terminal: ReportPage["terminal"],
  options: StepReportOptions,
): string {
  const here = { command: commandName(), place: journalWords(options) };
  const command: ReportPage["command"] = (verb, ...words) => commandLine(execution, here, verb, ...words);
  const page: ReportPage = { ...options, execution, terminal, command };
  const { step, input, isInputAround, action, output, outputOf, attempts, calls, artifacts, inside, log } = inspection;
  const { palette } = terminal;
  const json = command("show", step.name, "--json");
  const blocks = [
    header(inspection, page),
    valueBlock(isInputAround ? "input of the workflow" : "input", input, json, page),
    valueBlock("action", action, json, page),
    valueBlock(outputTitle(outputOf), output, command("show", "--output", step.name), page),
    failureBlock(inspection, page),
    inside === undefined ? [] : insideBlock(inside, json, page),
    attemptsBlock(attempts, json, page),
    callsBlock(calls, json, page),
    artifactsBlock(artifacts, page),
    logBlock(step, log, page),
  ];
  const [head = [], ...rest] = blocks.filter((block) => block.length > 0);
  return `${[head, ...rest.map(([title = "", ...lines]) => [palette.title(title), ...lines])]
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

function header({ step, label, reasons }: StepInspection, page: ReportPage): readonly string[] {
  const { execution, orphaned, terminal } = page;
  const { palette } = terminal;
  const title = palette.title(titleText({ name: step.name, label }));
  const progress = execution.progressOf(step.index);
  const about = orphaned ? reasons.map(withoutProcess) : reasons;
  return [
    `${title} ${statusText(step, page)}`,
    palette.quiet([`step of ${safeText(execution.workflow)} ${safeText(execution.id)}`, ...stepFacts(step)].join(", ")),
    ...(orphaned && step.status === "running" ? ["its process ended; no process runs it"] : []),
    ...(orphaned || progress === undefined ? [] : [safeText(`progress: ${progressText(progress)}`)]),
    ...about.map((reason) => safeText(withCommand(reason).text)),
  ];
}

function statusText(step: ShownStep, { terminal: { palette }, orphaned, now }: ReportPage): string {
  const { status, undone, startedAt, durationMs } = step;
  if (undone === true) return palette.caution("undone");
  if (orphaned && status === "running") return palette.caution("lost");
  // Without a process no step is queued.
  if (orphaned && status === "queued") return palette.caution("ready");
  const tone = status === "succeeded" ? "good" : status === "failed" ? "bad" : "caution";
  const time = isActive(step) && startedAt !== undefined ? ` for ${tickingText(now - startedAt)}` : "";
  const spent =
    time === "" && durationMs !== undefined && status !== "skipped" ? ` in ${elapsedText(durationMs)}` : time;
  return `${palette[tone](status)}${spent}`;
}

function stepFacts(step: ShownStep): readonly string[] {
  const { startedAt, completedAt } = step;
  return [
    ...(startedAt === undefined ? [] : [`started ${timestamp(startedAt)}`]),
    ...(completedAt === undefined ? [] : [`ended ${timestamp(completedAt)}`]),
    ...(step.attempts === 0 ? [] : [lastAttemptText(step)]),
  ];
}

function outputTitle(fallback: string | undefined): string {
  return fallback === undefined ? "output" : `output of its fallback \`${safeText(fallback)}\``;
}

function timestamp(at: number): string {
  return new Date(at).toISOString();
}

/** The end without its date, if that is the date of the start. */
function timeRange(startedAt: number, endedAt: number | undefined): string {
  const start = timestamp(startedAt);
  if (endedAt === undefined) return start;
  const [date, time] = timestamp(endedAt).split("T");
  return `${start} – ${start.startsWith(`${date}T`) ? time : timestamp(endedAt)}`;
}

function valueBlock(
  title: string,
  shown: ShownValue | undefined,
  whole: string,
  { terminal: { palette, columns } }: ReportPage,
): readonly string[] {
  if (shown === undefined) return [];
  return [title, ...valueLines(shown, { palette, columns, linesMax: VALUE_LINES_MAX, whole })];
}

/** A step may fail without an attempt: a wait in vain, an input that does not match. */
function failureBlock({ step: { detail }, attempts }: StepInspection, page: ReportPage): readonly string[] {
  if (detail.kind !== "failure" || attempts.at(-1)?.failure !== undefined) return [];
  return ["failure", ...failureChain(detail.failure, page.terminal.palette)];
}

function insideBlock(inside: ScopeSummary, json: string, { terminal }: ReportPage): readonly string[] {
  const { palette, columns } = terminal;
  const { items, steps, counts, failed } = inside;
  const total = items === undefined || items === steps ? [] : [`${groupedDigits(steps)} steps`];
  const what =
    items === undefined ? `${groupedDigits(steps)} steps` : [`${groupedDigits(items)} items`, ...total].join(", ");
  const list = Object.entries(counts).map(([status, count]) => `${groupedDigits(count)} ${status}`);
  const shown = failed.slice(0, FAILED_MAX);
  return [
    "inside",
    [what, list.join(", ")].filter((part) => part !== "").join(": "),
    ...shown.map((each) => `${palette.bad("✗")} ${shorten(failedText(each), columns - 2)}`),
    ...moreLines(failed.length - shown.length, `more that failed; to print all: ${json}`, terminal),
  ];
}

function failedText({ name, label, failure }: FailedInside): string {
  const title = titleText({ name, label });
  if (failure === undefined) return title;
  return `${title}  ${safeText(rootFailure(failure).code)} ${safeText(failureText(failure))}`;
}

function attemptsBlock(attempts: readonly ShownAttempt[], json: string, page: ReportPage): readonly string[] {
  if (attempts.length === 0) return [];
  const shown = attempts.slice(-ATTEMPTS_MAX);
  const lines = shown.flatMap((attempt) => attemptLines(attempt, page));
  const left = attempts.length - shown.length;
  return ["attempts", ...moreLines(left, `earlier; to print all: ${json}`, page.terminal), ...lines];
}

function attemptLines(attempt: ShownAttempt, page: ReportPage): readonly string[] {
  const { palette } = page.terminal;
  const { round, attempt: number, startedAt, endedAt, outcome, failure, reason, dueAt } = attempt;
  const name = page.execution.round === 1 ? String(number) : `${round}.${number}`;
  const isLost = outcome === "running" && page.orphaned;
  const tone = outcome === "succeeded" ? "good" : outcome === "failed" ? "bad" : "caution";
  const time =
    endedAt === undefined ? `for ${tickingText(page.now - startedAt)}` : `in ${elapsedText(endedAt - startedAt)}`;
  const next = dueAt === undefined ? "" : `, next attempt due ${timestamp(dueAt)}`;
  const why = reason === undefined || reason === "" ? "" : `: ${safeText(reason)}`;
  const end = isLost ? palette.caution("lost") : `${palette[tone](outcome)} ${time}`;
  return [
    `  ${name}  ${palette.quiet(timeRange(startedAt, endedAt))}  ${end}${why}${palette.quiet(next)}`,
    ...(failure === undefined ? [] : failureChain(failure, palette).map((line) => `     ${line}`)),
  ];
}

function callsBlock(calls: readonly ShownCall[], json: string, page: ReportPage): readonly string[] {
  if (calls.length === 0) return [];
  const shown = calls.slice(-CALLS_MAX);
  const width = Math.min(CALL_NAME_COLUMNS_MAX, widest(shown.map(({ name }) => displayWidth(safeText(name)))));
  const left = calls.length - shown.length;
  return [
    "recorded calls",
    ...moreLines(left, `earlier; to print all: ${json}`, page.terminal),
    ...shown.map((call) => callLine(call, width, page)),
  ];
}

function artifactsBlock(artifacts: readonly StepArtifact[], { terminal, command }: ReportPage): readonly string[] {
  const [first] = artifacts;
  if (first === undefined) return [];
  const shown = artifacts.slice(0, ARTIFACTS_MAX);
  return [
    "artifacts",
    ...artifactLines(shown, terminal).map((line) => `  ${line}`),
    ...moreLines(artifacts.length - shown.length, `more; to list all: ${command("artifact", first.step)}`, terminal),
    terminal.palette.quiet(`to copy one: ${command("artifact", first.step, first.path, "--to", ".")}`),
  ];
}

function callLine({ name, startedAt, completedAt, value }: ShownCall, width: number, page: ReportPage): string {
  const { palette, columns } = page.terminal;
  const title = pad(shorten(safeText(name), width), width);
  const time = elapsedText(completedAt - startedAt).padStart(6);
  const start = `  ${title}  ${timestamp(startedAt)}  ${time}  `;
  const room = Math.max(20, columns - displayWidth(start));
  return `  ${title}  ${palette.quiet(timestamp(startedAt))}  ${time}  ${valueLine(value, room)}`;
}

function logBlock(step: ShownStep, { lines, total }: LogTail, page: ReportPage): readonly string[] {
  if (total === 0) return [];
  const { palette, printsInColor: color } = page.terminal;
  const title = total > lines.length ? `log (last ${lines.length} of ${groupedDigits(total)} lines)` : "log";
  const all = palette.quiet(`to print all: ${page.command("logs", step.name)}`);
  return [title, ...lines.map((line) => `  ${logText(line, { palette, color })}`), all];
}

function moreLines(count: number, what: string, { palette }: ReportPage["terminal"]): readonly string[] {
  return count <= 0 ? [] : [palette.quiet(`  and ${groupedDigits(count)} ${what}`)];
}
