// The abort signal of a start: when it aborts, the execution is cancelled, whichever process runs it (CANCEL-1).

import { SegnoError } from "@segno/kernel";
import type { CancelOptions } from "./command-options.ts";

/** A signal that has already aborted refuses the start. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const message = `the signal was aborted before the start, so no execution was started: ${abortReason(signal)}`;
  throw new SegnoError("EXECUTION_CANCELLED", message, { cause: signal.reason });
}

/** Listens until the execution has ended, because a signal may live much longer than that. */
export function cancelOn(
  signal: AbortSignal,
  handle: { cancel(options: CancelOptions): Promise<unknown> },
  end: () => Promise<void>,
  report: (error: unknown) => void,
): void {
  const cancel = (): void => void handle.cancel({ reason: abortReason(signal) }).catch(report);
  if (signal.aborted) return cancel();
  signal.addEventListener("abort", cancel, { once: true });
  // A closed engine no longer waits for the end and cancels nothing.
  const leave = (): void => signal.removeEventListener("abort", cancel);
  end().then(leave, leave);
}

function abortReason({ reason }: AbortSignal): string {
  const text: unknown = reason instanceof Error ? reason.message : reason;
  const said = typeof text === "string" && text !== "" ? text : "its abort signal fired";
  // It is masked before it is cut, by the owner of the store.
  return said.toWellFormed().replaceAll("\0", "\uFFFD");
}
