// How a command ended, as the outcome of its attempt (ruling 26): 0 succeeds, 75 and the codes that the policy lists are
// worth another try, every other code is final; a signal that nobody here sent is worth another try.

import { constants } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { inline, type Failure, type FailureClass, type Outcome } from "@segno/kernel";
import { outcomeOfError } from "../function-outcome.ts";
import { lastCharacters, outputText } from "./output-text.ts";
import type { OutputTail } from "./output-tail.ts";

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: OutputTail;
  readonly stderr: OutputTail;
  readonly retriedExitCodes: readonly number[];
  /** Set when the command was told to stop. */
  readonly abortReason: string | undefined;
}

/** EX_TEMPFAIL: a program that ends with it says itself that it is worth another try. */
const TEMPORARY = 75;
const MESSAGE_LINES = 3;
const MESSAGE_CHARACTERS = 500;
const SEARCHED_CHARACTERS = 4096;

export function outcomeOfEnding(ending: ProcessExit): Outcome {
  const { code, signal, abortReason } = ending;
  // CANCEL-2: what succeeds within the grace has succeeded.
  if (code === 0) return succeededOutcome(ending.stdout, ending.stderr);
  if (abortReason !== undefined) return cancelledOutcome(abortReason);
  return { kind: "failed", failure: signal === null ? exitFailure(ending, code ?? -1) : signalFailure(ending, signal) };
}

/** The same as for a function that throws because its signal fired. */
export function cancelledOutcome(reason: string): Outcome {
  return outcomeOfError(new DOMException(reason, "AbortError"), { isAborted: true });
}

function succeededOutcome(stdout: OutputTail, stderr: OutputTail): Outcome {
  const [out, err] = [outputText(stdout), outputText(stderr)];
  const streams = { exitCode: 0, stdout: out.text, stderr: err.text };
  return { kind: "succeeded", output: inline(out.isCut || err.isCut ? { ...streams, truncated: true } : streams) };
}

function exitFailure({ stderr, retriedExitCodes }: ProcessExit, code: number): Failure {
  const isTransient = code === TEMPORARY || retriedExitCodes.includes(code);
  const said = lastLines(stderr);
  const message = `the command ended with exit code ${code}${hintFor(code, said)}${said === "" ? "" : `: ${said}`}`;
  return { class: isTransient ? "transient" : "permanent", code: "COMMAND_FAILED", message };
}

function signalFailure({ stderr }: ProcessExit, signal: NodeJS.Signals): Failure {
  const said = lastLines(stderr);
  const message = `the command was ended by ${signal}, which Segno did not send${said === "" ? "" : `: ${said}`}`;
  return { class: "transient", code: "COMMAND_KILLED", message };
}

/** What people ask next; nothing is decided by it. */
function hintFor(code: number, said: string): string {
  // Node gives commands sockets, and a socket cannot be opened by its path.
  if (/\/dev\/std(?:out|err): No such device/u.test(said)) return " (write `>&2` instead of `> /dev/stderr`)";
  if (code === 127) return " (of a shell: there is no such command)";
  if (code === 126) return " (of a shell: the command may not be executed)";
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal === undefined ? "" : ` (of a shell: something was ended by ${signal[0]})`;
}

function lastLines(stderr: OutputTail): string {
  const lines = stripVTControlCharacters(outputText(stderr).text.slice(-SEARCHED_CHARACTERS))
    .split(/[\r\n]+/u)
    .filter((line) => line.trim() !== "");
  return lastCharacters(lines.slice(-MESSAGE_LINES).join("\n").trim(), MESSAGE_CHARACTERS);
}

export function failedOutcome(kind: FailureClass, code: string, message: string): Outcome {
  return { kind: "failed", failure: { class: kind, code, message } };
}
