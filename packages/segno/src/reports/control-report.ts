// What became of a command: one sentence, or one document.

import { isTerminalStatus } from "@segno/kernel";

import type { ControlResult } from "../control/send-control.ts";
import { commandName, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { statusTone } from "./status-tone.ts";

export interface ControlOptions extends JournalOptions {
  readonly json?: boolean;
}

export interface ControlReport {
  readonly verb: string;
  readonly id: string;
  readonly answer: ControlResult;
  /** What may be done instead, where it is refused. */
  readonly hint?: string | undefined;
  /** Another process owns the journal. */
  readonly isElsewhere: boolean;
  readonly options: ControlOptions;
  readonly terminal: Terminal;
}

export function printControlResult(answered: ControlReport): ExitCode {
  const { id, answer, hint, options, terminal } = answered;
  const { kind, status } = answer;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, id, status, result: kind })}\n`);
  else if (kind === "refused")
    terminal.report(`segno: ${sentence(answered)}${hint === undefined ? "" : `; ${hint}`}\n`);
  else terminal.print(`${sentence(answered)}\n`);
  return kind === "refused" ? EXIT_CODES.conflict : EXIT_CODES.ok;
}

function sentence({ verb, id, answer, isElsewhere, options, terminal }: ControlReport): string {
  const { kind, status } = answer;
  const palette = kind === "refused" ? terminal.reportPalette : terminal.palette;
  const name = safeText(idPrefix(id));
  const state = palette[statusTone(status)](status);
  switch (kind) {
    case "already":
      return `${name} is ${state} already`;
    case "refused":
      return isTerminalStatus(status)
        ? `${name} has ended: ${state}; there is nothing to ${verb}`
        : `${name} is ${state}; it cannot ${verb} now`;
    case "pending":
      return `${name} is still ${state}: the ${verb} is posted, and whoever owns the journal has not taken it yet`;
    case "done":
      return `${name} is ${state}${isTerminalStatus(status) || isElsewhere ? "" : noWorkerHint(options)}`;
  }
}

/** Nobody owns the journal, so nothing moves until somebody does. */
function noWorkerHint(options: ControlOptions): string {
  return `; no process works on it: ${commandName()} work${journalWords(options)} does`;
}
