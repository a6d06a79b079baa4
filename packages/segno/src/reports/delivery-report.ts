// What became of a signal or a vote: one sentence, or one document.

import { isTerminalStatus } from "@segno/kernel";

import { commandName, journalWords } from "../journal/journal-options.ts";
import { idPrefix } from "../lookup/short-id.ts";
import type { DeliveryResult } from "../control/send-message.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ControlOptions } from "./control-report.ts";

export interface DeliveryReport {
  readonly verb: string;
  /** What was sent: a signal, a vote. */
  readonly what: string;
  readonly id: string;
  readonly told: DeliveryResult;
  /** What came of it, where it was taken. */
  readonly said: string;
  /** It was taken, but nobody can use it is. */
  readonly isUnfit?: boolean;
  /** Why it was not, where the words of this file do not say enough. */
  readonly refusal?: string | undefined;
  /** What else a program wants to know. */
  readonly facts: object;
  /** Another process owns the journal. */
  readonly isElsewhere: boolean;
  readonly options: ControlOptions;
  readonly terminal: Terminal;
}

export function printDelivery(report: DeliveryReport): ExitCode {
  const { id, told: delivery, facts, options, terminal, isUnfit = false } = report;
  const { status } = delivery.report;
  const isRefused = delivery.kind === "refused";
  const reason = isRefused ? { reason: delivery.reason } : {};
  if (options.json === true)
    terminal.print(`${safeJson({ schemaVersion: 1, id, status, result: delivery.kind, ...reason, ...facts })}\n`);
  else if (isRefused || isUnfit) terminal.report(`segno: ${safeText(sentence(report))}\n`);
  else terminal.print(`${safeText(sentence(report))}\n`);
  if (isRefused) return EXIT_CODES.conflict;
  return isUnfit ? EXIT_CODES.invalid : EXIT_CODES.ok;
}

function sentence({ verb, what, id, told: delivery, said, refusal, isElsewhere, options }: DeliveryReport): string {
  const name = idPrefix(id);
  const { status } = delivery.report;
  switch (delivery.kind) {
    case "done":
      return `${name}: ${said}${isElsewhere || isTerminalStatus(status) ? "" : noWorkerHint(options)}`;
    case "already":
      return `${name}: this ${what} was received before, and counts once`;
    case "pending":
      return `${name}: the ${what} is posted, and whoever owns the journal has not taken it yet`;
    case "refused":
      return delivery.reason === "ended"
        ? `${name} has ended: ${status}; there is nothing to ${verb}`
        : `${name}: ${refusal ?? delivery.reason}`;
  }
}

/** Nobody owns the journal, so nothing moves until somebody does. */
function noWorkerHint(options: ControlOptions): string {
  return `; no process works on it: ${commandName()} work${journalWords(options)} does`;
}
