// `segno db`: looking after the journal itself. What checks it and repairs it is in `db-check.ts`.

import { groupedDigits } from "@segno/contract";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

import { WholeFile, type Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { boundedLines } from "../document/bounded-lines.ts";
import { STANDARD_INPUT } from "../document/standard-input.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { journalFile, type JournalOptions } from "../journal/journal-options.ts";
import { openToAsk, openToRead, openToRecord } from "../journal/open-engine.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface DbOptions extends JournalOptions {
  readonly json?: boolean;
}

export async function dbVacuum(options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  requireOwner(engine, options, "make the journal smaller");
  await engine.vacuum();
  return printDone(
    options,
    terminal,
    { file: journalFile(options) },
    `${safeText(journalFile(options))} holds no empty room any more`,
  );
}

export async function dbBackup(file: string, options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRead(options);
  await engine.backup(file);
  return printDone(options, terminal, { file }, `${safeText(file)} is a copy of ${safeText(journalFile(options))}`);
}

/** To a file that must not exist, or to stdout. */
export async function dbExport(
  id: string,
  file: string | undefined,
  options: DbOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  if (file === undefined || file === STANDARD_INPUT) {
    for await (const line of engine.export(handle.id)) terminal.print(`${line}\n`);
    return EXIT_CODES.ok;
  }
  await writeLines(file, engine.export(handle.id));
  return printDone(options, terminal, { id: handle.id, file }, `${safeText(file)} holds ${safeText(handle.id)}`);
}

/** The file is there when all of it is: an export that was cut has no end, and cannot be imported (U1). */
async function writeLines(file: string, lines: AsyncIterable<string>): Promise<void> {
  const whole = wholeFile(file);
  try {
    await using target = await open(whole.partial, "w");
    for await (const line of lines) await target.write(`${line}\n`);
    whole.publish();
  } catch (error) {
    throw error instanceof SegnoError ? error : unwritable(file, error);
  } finally {
    whole.discard();
  }
}

function wholeFile(file: string): WholeFile {
  try {
    return new WholeFile(file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, cause: unknown): SegnoError {
  if ((cause as NodeJS.ErrnoException).code === "EEXIST")
    return new SegnoError("STORE_EXISTS", `${file} is there already; choose another name`);
  return new SegnoError("STORE_IO", `${file} cannot be written: ${(cause as Error).message}`, { cause });
}

/** What is unfinished is not begun here: it goes on with `segno work`. */
export async function dbImport(file: string, options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRecord(options);
  requireOwner(engine, options, "import");
  const id = await engine.import(readLines(file));
  return printDone(options, terminal, { id }, `${safeText(id)} was imported`);
}

/** More than any line of an export: a row has at most 1 MB, and a value that left it at most some more. */
const LINE_BYTES_MAX = 128 * 1024 * 1024;

async function* readLines(file: string): AsyncGenerator<string> {
  const input = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  try {
    yield* boundedLines(input, LINE_BYTES_MAX);
  } catch (cause) {
    if (cause instanceof SegnoError) throw cause;
    throw new SegnoError("INPUT_UNREADABLE", `${file}: ${(cause as Error).message}`, { cause });
  }
}

export function requireOwner(engine: Engine, options: DbOptions, what: string): void {
  if (engine.isOwner) return;
  throw new SegnoError(
    "ENGINE_NOT_OWNER",
    `another process owns ${journalFile(options)}, and only the owner can ${what}; end it first`,
  );
}

export function printDone({ json }: DbOptions, terminal: Terminal, facts: object, sentence: string): ExitCode {
  terminal.print(json === true ? `${safeJson({ schemaVersion: 1, ok: true, ...facts })}\n` : `${sentence}\n`);
  return EXIT_CODES.ok;
}

export function countText(count: number, noun: string): string {
  return `${groupedDigits(count)} ${count === 1 ? noun : `${noun}s`}`;
}
