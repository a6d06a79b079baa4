// Sends a control command to an execution that may run in another process. The command is posted, the owner of the journal
// consumes it, and the journal shows its effect.

import type { ExecutionHandle, ExecutionReport, CommandResult } from "@segno/engine";
import { isTerminalStatus, type IgnoreReason } from "@segno/kernel";

import { pollFor } from "./poll-for.ts";

type Status = ExecutionReport["status"];

export interface ControlRequest {
  readonly send: (handle: ExecutionHandle) => Promise<CommandResult>;
  /** Whether the command is unnecessary in this status. */
  readonly isSatisfied: (status: Status) => boolean;
  /** Whether the command is possible in this status. */
  readonly isAllowed: (status: Status, report: ExecutionReport) => boolean;
  /** Whether the journal shows the effect of the command. */
  readonly hasTakenEffect: (now: ExecutionReport, before: ExecutionReport) => boolean;
}

export interface ControlResult {
  /** `already`: unnecessary; `refused`: not possible; `done`: took effect; `pending`: posted and not consumed yet. */
  readonly kind: "already" | "refused" | "done" | "pending";
  readonly status: Status;
}

/** The reasons that say that the execution is where the command wants it. */
const ALREADY: ReadonlySet<IgnoreReason> = new Set(["already-created", "already-cancelling", "already-held"]);

const WAIT_MS = 10_000;

export async function sendControl(
  handle: ExecutionHandle,
  request: ControlRequest,
  waitMs: number = WAIT_MS,
): Promise<ControlResult> {
  const before = await handle.status();
  const { status } = before;
  if (request.isSatisfied(status)) return { kind: "already", status };
  if (!request.isAllowed(status, before)) return { kind: "refused", status };
  const reception = await request.send(handle);
  if (reception.kind !== "ignored") return pollUntilDone(handle, before, request, waitMs);
  const kind = ALREADY.has(reception.reason) ? "already" : "refused";
  return { kind, status: (await handle.status()).status };
}

function pollUntilDone(
  handle: ExecutionHandle,
  before: ExecutionReport,
  request: ControlRequest,
  waitMs: number,
): Promise<ControlResult> {
  return pollFor(waitMs, async (isLast) => {
    const now = await handle.status();
    const { status } = now;
    // The execution may have ended by itself before the command was consumed.
    if (request.hasTakenEffect(now, before) || (isTerminalStatus(status) && status !== before.status))
      return { kind: "done", status };
    if (!isLast) return undefined;
    return { kind: status === before.status ? "pending" : "done", status };
  });
}
