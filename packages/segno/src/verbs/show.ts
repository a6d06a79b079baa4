// `segno show`: one execution with all its steps, as it is now; or what one of them gave.

import type { ExecutionHandle } from "@segno/engine";
import { SegnoError, type Json } from "@segno/kernel";

import { executionJson } from "../progress/execution-json.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { findStep } from "../lookup/find-step.ts";
import { commandName, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { openToRead } from "../journal/open-engine.ts";
import { ORPHANED, orphanTest } from "../lookup/orphan.ts";
import { replayProgress } from "../progress/replay-progress.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { elapsedText, tickingText } from "../progress/elapsed-text.ts";
import type { ExecutionProgress } from "../progress/execution-progress.ts";
import { stepTable } from "../progress/step-table.ts";
import { doneText } from "../progress/step-tally.ts";
import { addressLines, failureLines, nextCommands, notUndoneLines } from "../progress/summary.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { statusTone } from "../reports/status-tone.ts";

export interface ShowOptions extends JournalOptions {
  readonly json?: boolean;
  /** Only what this step gave. */
  readonly output?: string;
}

const NOBODY_WORKS = "no process works on it";

/** Who asks for it in full gets all rows that a terminal can hold. */
const ROWS_MAX = 1000;

export async function show(id: string, options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  if (options.output !== undefined) return await showOutput(handle, options.output, options, terminal);
  const progress = await replayProgress(handle);
  const output = progress.status === "completed" ? await handle.result() : undefined;
  const orphaned = orphanTest(options)(progress.status);
  terminal.print(
    options.json === true
      ? `${safeJson({ schemaVersion: 1, ...executionJson(progress, output), ...(orphaned ? { orphaned } : {}) })}\n`
      : showText(progress, output, terminal, { ...options, orphaned }),
  );
  return EXIT_CODES.ok;
}

/** The whole value, however large it is. */
async function showOutput(
  handle: ExecutionHandle,
  step: string,
  { json = false }: ShowOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const output = await readOutput(handle, step);
  if (output === undefined) {
    const { steps } = await handle.status();
    const status = steps.find(({ name }) => name === step)?.status;
    const why = status === undefined ? "" : `: it is ${status}`;
    terminal.report(`segno: \`${safeText(step)}\` has given no output${why}\n`);
    return EXIT_CODES.conflict;
  }
  terminal.print(`${safeJson(json ? { schemaVersion: 1, id: handle.id, step, output } : output)}\n`);
  return EXIT_CODES.ok;
}

/** A name that no step has is answered with the one that is meant. */
async function readOutput(handle: ExecutionHandle, step: string): Promise<Json | undefined> {
  try {
    return await handle.output(step);
  } catch (error) {
    if (error instanceof SegnoError && error.code === "STEP_UNKNOWN") findStep(handle.id, await handle.status(), step);
    throw error;
  }
}

function showText(
  progress: ExecutionProgress,
  output: Json | undefined,
  { palette, columns }: Terminal,
  options: ShowOptions & { readonly orphaned: boolean },
): string {
  const { orphaned } = options;
  const here = { command: commandName(), place: journalWords(options), isOwned: !orphaned };
  const next = nextCommands(progress, here);
  const commands = progress.status === "completed" || progress.status === "cancelled" ? [] : next;
  const blocks = [
    header(progress, palette, orphaned),
    [
      ...stepTable(progress, { palette, columns, now: Date.now(), rowsMax: ROWS_MAX, orphaned }),
      ...addressLines(progress, palette, here),
    ],
    [...failureLines(progress, palette), ...notUndoneLines(progress, palette, here)],
    output === undefined || output === null ? [] : [palette.title("output"), safeJson(output)],
    commands.map((command, place) => `${place === 0 ? "next:" : "     "} ${palette.accent(command)}`),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

function header(progress: ExecutionProgress, palette: Palette, orphaned: boolean): readonly string[] {
  const { id, workflow, status, round, createdAt = 0, beganAt = 0, endedAt, reason } = progress;
  const time =
    endedAt === undefined ? `for ${tickingText(Date.now() - beganAt)}` : `in ${elapsedText(endedAt - beganAt)}`;
  const facts = [
    `started ${new Date(createdAt).toISOString()}`,
    doneText(progress),
    ...(round > 1 ? [`round ${round}`] : []),
  ];
  const shown = orphaned ? palette.caution(ORPHANED) : palette[statusTone(status)](status);
  const why = status === "parked" || status === "cancelling" || status === "cancelled" ? reason : undefined;
  return [
    `${palette.title(safeText(workflow))} ${safeText(id)} ${shown} ${time}`,
    palette.quiet(facts.join(", ")),
    ...(why === undefined ? [] : [`${status}: ${safeText(why)}`]),
    ...(orphaned ? [NOBODY_WORKS] : []),
  ];
}
