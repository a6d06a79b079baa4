// The result of sending a signal or a vote: one sentence, or one JSON document.

import { isTerminalStatus } from "@segno/kernel";

import { commandName, journalWords } from "../journal/journal-options.ts";
import { idPrefix } from "../lookup/short-id.ts";
import type { DeliveryResult } from "../control/send-message.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ControlOptions } from "./control-report.ts";

export interface DeliveryReport {
  readonly verb: string;
  /** The kind of message: a signal, a vote. */
  readonly what: string;
  readonly id: string;
  readonly delivery: DeliveryResult;
  /** The sentence for a message that was consumed. */
  readonly said: string;
  /** The message was consumed, but the step refused it as invalid. */
  readonly isUnfit?: boolean;
  /** A sentence for a refused message; without it the reason itself is printed. */
  readonly refusal?: string | undefined;
  /** Further fields of the JSON document. */
  readonly facts: object;
  /** Another process owns the journal. */
  readonly isElsewhere: boolean;
  readonly options: ControlOptions;
  readonly terminal: Terminal;
}

export function printDelivery(report: DeliveryReport): ExitCode {
  const { id, delivery, facts, options, terminal, isUnfit = false } = report;
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

function sentence({ verb, what, id, delivery, said, refusal, isElsewhere, options }: DeliveryReport): string {
  const name = idPrefix(id);
  const { status } = delivery.report;
  switch (delivery.kind) {
    case "done":
      return `${name}: ${said}${isElsewhere || isTerminalStatus(status) ? "" : noWorkerHint(options)}`;
    case "already":
      return `${name}: this ${what} was received before and counts once`;
    case "pending":
      return `${name}: the ${what} is posted; the owner of the journal has not consumed it yet`;
    case "refused":
      return delivery.reason === "ended"
        ? `${name} has ended: ${status}; there is nothing to ${verb}`
        : `${name}: ${refusal ?? delivery.reason}`;
  }
}

/** No process owns the journal, so the execution does not continue until one does. */
function noWorkerHint(options: ControlOptions): string {
  return `; no process runs it; to resume it: ${commandName()} work${journalWords(options)}`;
}
