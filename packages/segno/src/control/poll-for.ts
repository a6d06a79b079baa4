// Polling for the effect of a message that another process has to take. That process says nothing, so the journal is read again.

import { pollUntil } from "@segno/engine/poll-until";

const POLL_MS = 50;

/** `look` runs until it returns a result. After `waitMs` it gets `isLast`, and has to return one. */
export function pollFor<Result>(
  waitMs: number,
  look: (isLast: boolean) => Promise<Result | undefined>,
): Promise<Result> {
  const until = performance.now() + waitMs;
  return pollUntil(
    () => look(performance.now() >= until),
    () => new Promise((resolve) => setTimeout(resolve, POLL_MS)),
  );
}
