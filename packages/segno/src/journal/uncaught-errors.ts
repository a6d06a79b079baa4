// Uncaught errors in a process that runs steps: a rejected promise that no code awaits, or a timer that throws. Node.js would
// exit and print the error unmasked, with secrets in its text.
//   U1. An error of a step fails the attempt that it belongs to, or is added to the log of an attempt that has ended (SS5 of
//       `console-capture.ts`). It is reported. The process and its other executions continue.
//   U2. Any other error is printed, masked, and the process exits, because its state is unknown. Listeners of `exit` end
//       commands that steps have started.
//   U3. The listeners stay until the process exits: steps may leave timers that outlive the engine.

import { assignToStep, type UncaughtInStep } from "@segno/engine";

import { EXIT_CODES } from "../errors/exit-code.ts";
import { exitProcess } from "../terminal/process-exit.ts";
import { safeLines } from "../terminal/safe-text.ts";
import type { OnFault } from "./work-options.ts";

/** `mask` masks errors that belong to no step. */
export function handleUncaughtErrors(mask: (text: string) => string, onFault: OnFault): void {
  const handle = (error: unknown): void => {
    const owner = assignToStep(error);
    if (owner === undefined) exitAfter(mask(errorMessage(error)));
    else onFault(new Error(uncaughtText(owner, error)), owner.execution, 0);
  };
  process.on("uncaughtException", handle);
  process.on("unhandledRejection", handle);
}

function uncaughtText({ step, attempt, isFailed, mask }: UncaughtInStep, error: unknown): string {
  const end = isFailed ? "and failed with it" : "after it had ended";
  return `attempt ${attempt} of the step ${step} left an uncaught error, ${end}: ${mask(errorMessage(error))}`;
}

/** Writes the text at exit, after the live view has cleared its region. */
function exitAfter(message: string): void {
  process.once("exit", () => process.stderr.write(`segno: an uncaught error: ${safeLines(message)}\n`));
  exitProcess(EXIT_CODES.bug);
}

/** The stack is included if SEGNO_DEBUG is set (C2). Reading a hostile error may throw. */
function errorMessage(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    return process.env["SEGNO_DEBUG"] === undefined ? error.message : (error.stack ?? error.message);
  } catch {
    return "it cannot be read";
  }
}
