// Where executions are kept, and how people name that place on a command line.

import { existsSync } from "node:fs";

import { SegnoError } from "@segno/kernel";

import { JOURNAL_DEFAULT } from "./journal-default.ts";
import { shellWord } from "../terminal/shell-word.ts";

export interface JournalOptions {
  /** `--db`. */
  readonly db?: string;
}

export function journalFile({ db }: JournalOptions): string {
  return db ?? JOURNAL_DEFAULT;
}

/** The words that lead another command to the same place; none where it is the usual one. */
export function journalWords({ db }: JournalOptions): string {
  return db === undefined || db === JOURNAL_DEFAULT ? "" : ` --db ${shellWord(db)}`;
}

/** What is only looked at is not made by looking. */
export function requireJournal(options: JournalOptions): string {
  const file = journalFile(options);
  if (existsSync(file)) return file;
  throw new SegnoError("JOURNAL_MISSING", `there is no journal at ${file}; \`segno run\` makes one`);
}

/** How the command is called here, for what people are told to type. */
export function commandName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["npm_command"] === "exec" ? "npx segno" : "segno";
}
