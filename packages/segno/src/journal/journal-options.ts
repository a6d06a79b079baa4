// The location of the journal, and the words that name it on a command line.

import { existsSync } from "node:fs";

import { SegnoError } from "@segno/kernel";

import { JOURNAL_DEFAULT } from "./journal-default.ts";
import { shellWord } from "../terminal/shell-word.ts";

export interface JournalOptions {
  /** The value of `--db`. */
  readonly db?: string;
}

export function journalFile({ db }: JournalOptions): string {
  return db ?? JOURNAL_DEFAULT;
}

/** The words that make another command use the same journal; none for the default journal. */
export function journalWords({ db }: JournalOptions): string {
  return db === undefined || db === JOURNAL_DEFAULT ? "" : ` --db ${shellWord(db)}`;
}

/** Commands that only read do not create a journal. */
export function requireJournal(options: JournalOptions): string {
  const file = journalFile(options);
  if (existsSync(file)) return file;
  throw new SegnoError("JOURNAL_MISSING", `there is no journal at ${file}; \`segno run\` creates one`);
}

/** The name of the command in hints: `npx segno` if npx started this process. */
export function commandName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["npm_command"] === "exec" ? "npx segno" : "segno";
}
