// What became of a signal or a vote: one sentence, or one document.

import { isTerminalStatus } from "@segno/kernel";

import { commandName, placeWords } from "../executions/journal-place.ts";
import { prefixOf } from "../executions/short-id.ts";
import type { Told } from "../executions/tell.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { AnswerOptions } from "./answer-report.ts";

export interface ToldReport {
  readonly verb: string;
  /** What was sent: a signal, a vote. */
  readonly what: string;
  readonly id: string;
  readonly told: Told;
  /** What came of it, where it was taken. */
  readonly said: string;
  /** It was taken, but nobody can use it as it is. */
  readonly isUnfit?: boolean;
  /** Why it was not, where the words of this file do not say enough. */
  readonly refusal?: string | undefined;
  /** What else a program wants to know. */
  readonly facts: object;
  /** Another process owns the journal. */
  readonly isElsewhere: boolean;
  readonly options: AnswerOptions;
  readonly terminal: Terminal;
}

export function reportTold(report: ToldReport): ExitCode {
  const { id, told, facts, options, terminal, isUnfit = false } = report;
  const { status } = told.report;
  const isRefused = told.kind === "refused";
  const reason = isRefused ? { reason: told.reason } : {};
  if (options.json === true)
    terminal.print(`${safeJson({ schemaVersion: 1, id, status, result: told.kind, ...reason, ...facts })}\n`);
  else if (isRefused || isUnfit) terminal.report(`segno: ${safeText(sentence(report))}\n`);
  else terminal.print(`${safeText(sentence(report))}\n`);
  if (isRefused) return EXIT_CODES.conflict;
  return isUnfit ? EXIT_CODES.invalid : EXIT_CODES.ok;
}

function sentence({ verb, what, id, told, said, refusal, isElsewhere, options }: ToldReport): string {
  const name = prefixOf(id);
  const { status } = told.report;
  switch (told.kind) {
    case "done":
      return `${name}: ${said}${isElsewhere || isTerminalStatus(status) ? "" : unattended(options)}`;
    case "already":
      return `${name}: this ${what} was received before, and counts once`;
    case "pending":
      return `${name}: the ${what} is posted, and whoever owns the journal has not taken it yet`;
    case "refused":
      return told.reason === "ended"
        ? `${name} has ended: ${status}; there is nothing to ${verb}`
        : `${name}: ${refusal ?? told.reason}`;
  }
}

/** Nobody owns the journal, so nothing moves until somebody does. */
function unattended(options: AnswerOptions): string {
  return `; no process works on it: ${commandName()} work${placeWords(options)} does`;
}
