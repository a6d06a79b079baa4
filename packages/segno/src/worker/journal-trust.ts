// Asks before the command uses a journal that another user or another machine created.
// The unfinished executions of a journal contain commands that will run. A journal may come with a repository or in an archive,
// so the user decides, at the terminal or with `--yes`. A link may come the same way. It may lead to the user's own journal of
// another folder, whose commands would then run on the files of this folder.

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { inspectOrigin } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";
import { askYes, canAsk } from "../terminal/prompt.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { JOURNAL_DEFAULT } from "../journal/journal-default.ts";
import { commandName, journalFile, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { openToRead } from "../journal/open-engine.ts";
import { unfinishedText } from "../lookup/unfinished-executions.ts";

export interface TrustOptions extends JournalOptions {
  /** The user has decided already. */
  readonly yes?: boolean;
}

/** Resolves if the executions in the journal may run here; otherwise throws STORE_FOREIGN. */
export async function requireTrust(options: TrustOptions, terminal: Terminal): Promise<void> {
  const file = journalFile(options);
  if (options.yes === true || !existsSync(file)) return;
  const doubt = doubtAbout(options);
  if (doubt === undefined || (canAsk() && (await isTrusted(options, doubt, terminal.reportPalette)))) return;
  throw new SegnoError(
    "STORE_FOREIGN",
    `${doubt}; \`${commandName()} list${journalWords(options)}\` shows its content, and --yes accepts it`,
  );
}

function doubtAbout(options: TrustOptions): string | undefined {
  const file = journalFile(options);
  if (inspectOrigin(file) !== "own") return `${file} was created by another user or on another machine`;
  const target = realpathSync(file);
  if (options.db !== undefined || target === join(realpathSync("."), JOURNAL_DEFAULT)) return undefined;
  return `${file} is a link to ${target}, and its unfinished executions would run in this folder`;
}

async function isTrusted(options: TrustOptions, doubt: string, palette: Palette): Promise<boolean> {
  const text = `${safeText(doubt)}${await unfinishedIn(options)}. Use it?`;
  return askYes(text, palette);
}

async function unfinishedIn(options: TrustOptions): Promise<string> {
  await using engine = await openToRead(options);
  const text = await unfinishedText(engine);
  return text === undefined ? "" : `; unfinished: ${text}`;
}
