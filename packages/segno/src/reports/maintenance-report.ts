// Parts that the reports of `segno db` share.

import { groupedDigits } from "@segno/contract";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface MaintenanceOptions extends JournalOptions {
  readonly json?: boolean;
}

export function printDone({ json }: MaintenanceOptions, terminal: Terminal, facts: object, sentence: string): ExitCode {
  terminal.print(json === true ? `${safeJson({ schemaVersion: 1, ok: true, ...facts })}\n` : `${sentence}\n`);
  return EXIT_CODES.ok;
}

export function countText(count: number, noun: string): string {
  return `${groupedDigits(count)} ${count === 1 ? noun : `${noun}s`}`;
}
