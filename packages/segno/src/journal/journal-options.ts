// The location of the journal, and the words that name it on a command line.

import { existsSync } from "node:fs";

import { SegnoError } from "@segno/kernel";

import { JOURNAL_DEFAULT } from "./journal-default.ts";
import { shellWord } from "../terminal/shell-word.ts";

export interface JournalOptions {
  /** The value of `--db`. */
  readonly db?: string;
  /** The value of `--url`, or of `SEGNO_URL`. Only commands that can ask a server have it. */
  readonly url?: string;
}

/** The address of the server that the command asks; undefined if it opens a journal. `--db` outweighs `SEGNO_URL`. */
export function serverUrl({ url, db }: JournalOptions): string | undefined {
  return db === undefined ? url : undefined;
}

/** Whether the command asks a server. */
export function isRemote(options: JournalOptions): boolean {
  return serverUrl(options) !== undefined;
}

export function journalFile({ db }: JournalOptions): string {
  return db ?? JOURNAL_DEFAULT;
}

/** The words that make another command use the same journal or server; none for the default one. */
export function journalWords(options: JournalOptions): string {
  const { db } = options;
  const url = serverUrl(options);
  if (url !== undefined) return url === process.env["SEGNO_URL"] ? "" : ` --url ${shellWord(url)}`;
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
