// Turns the exit of a command's main process into an outcome: 0 succeeds, 75 and the codes in the retry policy are
// retryable, every other code is permanent. A signal that Segno did not send is retryable.

import { constants } from "node:os";
import { inlineValue, type Failure, type FailureClass, type Outcome, type TextFilter } from "@segno/kernel";
import { stripHidden } from "../../secrets/shown-bytes.ts";
import { outcomeOfError } from "../attempt-outcome.ts";
import { lastCharacters, streamText } from "./stream-text.ts";
import type { StreamTail } from "./stream-tail.ts";

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: StreamTail;
  readonly stderr: StreamTail;
  readonly retriedExitCodes: readonly number[];
  /** Set if the attempt was aborted. */
  readonly abortReason: string | undefined;
  readonly maskText: TextFilter;
}

/** EX_TEMPFAIL: the program itself says that a retry is worthwhile. */
const EXIT_TEMPFAIL = 75;
const MESSAGE_LINES = 3;
const MESSAGE_CHARACTERS = 500;
const TAIL_CHARACTERS = 4096;

export function outcomeOfExit(exit: ProcessExit): Outcome {
  const { code, signal, abortReason } = exit;
  // A command that succeeds within the grace period has succeeded (CANCEL-2).
  if (code === 0) return succeededOutcome(exit.stdout, exit.stderr);
  if (abortReason !== undefined) return cancelledOutcome(abortReason, exit.maskText);
  return { kind: "failed", failure: signal === null ? exitFailure(exit, code ?? -1) : signalFailure(exit, signal) };
}

/** The same outcome as for an agent that throws because its abort signal fired. */
export function cancelledOutcome(reason: string, maskText: TextFilter): Outcome {
  return outcomeOfError(new DOMException(reason, "AbortError"), { isAborted: true, maskText });
}

function succeededOutcome(stdout: StreamTail, stderr: StreamTail): Outcome {
  const [out, err] = [streamText(stdout), streamText(stderr)];
  const streams = { exitCode: 0, stdout: out.text, stderr: err.text };
  return { kind: "succeeded", output: inlineValue(out.isCut || err.isCut ? { ...streams, truncated: true } : streams) };
}

function exitFailure({ stderr, retriedExitCodes }: ProcessExit, code: number): Failure {
  const isTransient = code === EXIT_TEMPFAIL || retriedExitCodes.includes(code);
  const stderrText = lastLines(stderr);
  const message = `the command ended with exit code ${code}${hintFor(code, stderrText)}${stderrText === "" ? "" : `: ${stderrText}`}`;
  return { class: isTransient ? "transient" : "permanent", code: "COMMAND_FAILED", message };
}

function signalFailure({ stderr }: ProcessExit, signal: NodeJS.Signals): Failure {
  const stderrText = lastLines(stderr);
  const message = `the command was killed by ${signal}, which Segno did not send${stderrText === "" ? "" : `: ${stderrText}`}`;
  return { class: "transient", code: "COMMAND_KILLED", message };
}

/** A hint for people; no decision depends on it. */
function hintFor(code: number, stderrText: string): string {
  // Node.js gives commands sockets, and a socket cannot be opened by its path.
  if (/\/dev\/std(?:out|err): No such device/u.test(stderrText)) return " (write `>&2` instead of `> /dev/stderr`)";
  if (code === 127) return " (from a shell: command not found)";
  if (code === 126) return " (from a shell: the command is not executable)";
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal === undefined ? "" : ` (from a shell: a command was killed by ${signal[0]})`;
}

/**
 * The stream was masked before (CM4 in `command.ts`), even where escape sequences split a secret. So removing the sequences
 * and cutting the text cannot reveal part of a secret.
 */
function lastLines(stderr: StreamTail): string {
  const lines = stripHidden(streamText(stderr).text.slice(-TAIL_CHARACTERS))
    .split(/[\r\n]+/u)
    .filter((line) => line.trim() !== "");
  return lastCharacters(lines.slice(-MESSAGE_LINES).join("\n").trim(), MESSAGE_CHARACTERS);
}

export function failedOutcome(failureClass: FailureClass, code: string, message: string): Outcome {
  return { kind: "failed", failure: { class: failureClass, code, message } };
}
