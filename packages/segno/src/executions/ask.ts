// Asking something of an execution that may run in another process: the wish is posted, its owner takes it, and what became
// of it is seen in the journal.

import type { ExecutionHandle, ExecutionReport, Reception } from "@segno/engine";
import { isTerminalStatus } from "@segno/kernel";

type Status = ExecutionReport["status"];

export interface Wish {
  readonly make: (handle: ExecutionHandle) => Promise<Reception>;
  /** Whether the execution is where the wish wants it before anything was asked. */
  readonly isThere: (status: Status) => boolean;
  /** Whether the wish makes sense where the execution is. */
  readonly isPossible: (status: Status, report: ExecutionReport) => boolean;
  /** Whether what came of it can be told now. */
  readonly isMet: (now: ExecutionReport, before: ExecutionReport) => boolean;
}

export interface Answer {
  /** There was nothing to do; it cannot be done; it was done; it is posted and was not taken yet. */
  readonly kind: "already" | "refused" | "done" | "pending";
  readonly status: Status;
}

const LOOK_MS = 50;
const WAIT_MS = 10_000;

export async function ask(handle: ExecutionHandle, wish: Wish, waitMs: number = WAIT_MS): Promise<Answer> {
  const before = await handle.status();
  const { status } = before;
  if (wish.isThere(status)) return { kind: "already", status };
  if (!wish.isPossible(status, before)) return { kind: "refused", status };
  const reception = await wish.make(handle);
  if (reception.kind !== "ignored") return awaited(handle, before, wish, performance.now() + waitMs);
  const kind = reception.reason.startsWith("already") ? "already" : "refused";
  return { kind, status: (await handle.status()).status };
}

async function awaited(handle: ExecutionHandle, before: ExecutionReport, wish: Wish, until: number): Promise<Answer> {
  for (;;) {
    const now = await handle.status();
    const { status } = now;
    // It may have ended by itself before the wish was taken.
    if (wish.isMet(now, before) || (isTerminalStatus(status) && status !== before.status))
      return { kind: "done", status };
    if (performance.now() >= until) return { kind: status === before.status ? "pending" : "done", status };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
