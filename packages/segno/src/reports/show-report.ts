// The report of `segno show`: one execution with its steps.

import { groupedDigits } from "@segno/contract";
import type { StepArtifact } from "@segno/kernel";

import { commandName, isRemote, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { bytesText } from "../live/log-text.ts";
import { ORPHANED } from "../lookup/orphan.ts";
import { elapsedText, tickingText } from "../progress/elapsed-text.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import type { InputAndOutput } from "../progress/load-execution.ts";
import type { ShownValue } from "../progress/shown-value.ts";
import { stepTable } from "../progress/step-table.ts";
import { doneText } from "../progress/step-tally.ts";
import { addressLines, commandLine, failureLines, nextCommands, notUndoneLines } from "../progress/summary.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { statusTone } from "./status-tone.ts";
import { valueLine, valueLines, type ValueLinesOptions } from "./value-lines.ts";

/** `show` lists more rows than the end of `run`: all that a terminal can hold. */
const ROWS_MAX = 1000;
const INPUT_LINES_MAX = 12;

/** The parts of an execution beside its state. */
export interface ShownParts extends InputAndOutput {
  readonly artifacts: readonly StepArtifact[];
}

export function showText(
  execution: FollowedExecution,
  { artifacts, ...values }: ShownParts,
  { palette, columns }: Terminal,
  options: JournalOptions & { readonly orphaned: boolean },
): string {
  const { orphaned } = options;
  const here = {
    command: commandName(),
    place: journalWords(options),
    isOwned: !orphaned,
    isRemote: isRemote(options),
  };
  const next = nextCommands(execution, here);
  const commands = execution.status === "completed" || execution.status === "cancelled" ? [] : next;
  const blocks = [
    header(execution, palette, orphaned),
    [
      ...stepTable(execution, { palette, columns, now: Date.now(), rowsMax: ROWS_MAX, orphaned }),
      ...addressLines(execution, palette, here),
    ],
    [...failureLines(execution, palette), ...notUndoneLines(execution, palette, here)],
    ...valueBlocks(values, { palette, columns, whole: commandLine(execution, here, "show", "--json") }),
    artifactBlock(artifacts, palette, commandLine(execution, here, "artifact")),
    commands.map((command, place) => `${place === 0 ? "next:" : "     "} ${palette.accent(command)}`),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

/** The input is cut, because the reader knows it; the output is what the execution was for. */
function valueBlocks(
  { input, output }: InputAndOutput,
  options: Omit<ValueLinesOptions, "linesMax">,
): readonly (readonly string[])[] {
  const { title } = options.palette;
  return [
    isShown(input) ? [title("input"), ...valueLines(input, { ...options, linesMax: INPUT_LINES_MAX })] : [],
    isShown(output)
      ? [title("output"), output.kind === "value" ? safeJson(output.json) : valueLine(output, options.columns)]
      : [],
  ];
}

/** Only how many there are: one execution may have thousands. */
function artifactBlock(artifacts: readonly StepArtifact[], palette: Palette, command: string): readonly string[] {
  if (artifacts.length === 0) return [];
  const bytes = artifacts.reduce((sum, artifact) => sum + artifact.bytes, 0);
  const files = artifacts.length === 1 ? "1 file" : `${groupedDigits(artifacts.length)} files`;
  return [palette.title("artifacts"), `${files}, ${bytesText(bytes)}: ${palette.accent(command)}`];
}

function isShown(value: ShownValue | undefined): value is ShownValue {
  return value !== undefined && !(value.kind === "value" && value.json === null);
}

function header(execution: FollowedExecution, palette: Palette, orphaned: boolean): readonly string[] {
  const { id, workflow, status, round, createdAt = 0, beganAt = 0, endedAt, reason } = execution;
  const time =
    endedAt === undefined ? `for ${tickingText(Date.now() - beganAt)}` : `in ${elapsedText(endedAt - beganAt)}`;
  const facts = [
    `started ${new Date(createdAt).toISOString()}`,
    doneText(execution),
    ...(round > 1 ? [`round ${round}`] : []),
    ...Object.entries(execution.labels).map(([name, value]) => `${safeText(name)}=${safeText(value)}`),
  ];
  const shown = orphaned ? palette.caution(ORPHANED) : palette[statusTone(status)](status);
  const why = status === "parked" || status === "cancelling" || status === "cancelled" ? reason : undefined;
  return [
    `${palette.title(safeText(workflow))} ${safeText(id)} ${shown} ${time}`,
    palette.quiet(facts.join(", ")),
    ...(why === undefined ? [] : [`${status}: ${safeText(why)}`]),
    ...(orphaned ? ["no process runs it"] : []),
  ];
}
