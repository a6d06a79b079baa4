// The result of a control command: one sentence, or one JSON document.

import { isTerminalStatus } from "@segno/kernel";

import type { ControlResult } from "../control/send-control.ts";
import { commandName, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
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
  /** A suggestion that follows a refusal. */
  readonly hint?: string | undefined;
  /** Another process owns the journal. */
  readonly isElsewhere: boolean;
  readonly options: ControlOptions;
  readonly terminal: Terminal;
}

export function printControlResult(report: ControlReport): ExitCode {
  const { id, answer, hint, options, terminal } = report;
  const { kind, status } = answer;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, id, status, result: kind })}\n`);
  else if (kind === "refused") terminal.report(`segno: ${sentence(report)}${hint === undefined ? "" : `; ${hint}`}\n`);
  else terminal.print(`${sentence(report)}\n`);
  return kind === "refused" ? EXIT_CODES.conflict : EXIT_CODES.ok;
}

function sentence({ verb, id, answer, isElsewhere, options, terminal }: ControlReport): string {
  const { kind, status } = answer;
  const palette = kind === "refused" ? terminal.reportPalette : terminal.palette;
  const name = safeText(idPrefix(id));
  const state = palette[statusTone(status)](status);
  switch (kind) {
    case "already":
      return `${name} is already ${state}`;
    case "refused":
      return isTerminalStatus(status)
        ? `${name} has ended: ${state}; there is nothing to ${verb}`
        : `${name} is ${state}; ${verb} is not possible now`;
    case "pending":
      return `${name} is still ${state}: the ${verb} is posted; the owner of the journal has not consumed it yet`;
    case "done":
      return `${name} is ${state}${isTerminalStatus(status) || isElsewhere ? "" : noWorkerHint(options)}`;
  }
}

/** No process owns the journal, so the execution does not continue until one does. */
function noWorkerHint(options: ControlOptions): string {
  return `; no process runs it; to resume it: ${commandName()} work${journalWords(options)}`;
}
