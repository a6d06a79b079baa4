// Sends a message with an id, a signal or a vote, to an execution that may run in another process. The journal records the id,
// so it shows what the message did.

import type { ExecutionHandle, ExecutionReport, CommandResult } from "@segno/engine";
import { isTerminalStatus, type Event } from "@segno/kernel";

import { pollFor } from "./poll-for.ts";

export interface ControlMessage {
  readonly id: string;
  readonly send: (handle: ExecutionHandle) => Promise<CommandResult>;
  /** The reason why the message can have no effect any more, if the report shows one. */
  readonly obsoleteReason?: (report: ExecutionReport) => string | undefined;
}

export type DeliveryResult = {
  readonly report: ExecutionReport;
  /** The events of the message. */
  readonly events: readonly Event[];
} & (
  | { readonly kind: "done" }
  /** A message with the same id was consumed before. */
  | { readonly kind: "already" }
  /** The message is posted and not consumed yet. */
  | { readonly kind: "pending" }
  | { readonly kind: "refused"; readonly reason: string }
);

const WAIT_MS = 10_000;

export async function sendMessage(
  handle: ExecutionHandle,
  message: ControlMessage,
  waitMs: number = WAIT_MS,
): Promise<DeliveryResult> {
  const before = await handle.status();
  const reception = await message.send(handle);
  if (reception.kind === "posted") return pollUntilDelivered(handle, before, message, waitMs);
  const report = await handle.status();
  const events = await eventsAbout(handle, message.id, report.seq);
  if (reception.kind === "accepted") return { kind: "done", report, events };
  const { reason } = reception;
  return reason === "duplicate" ? { kind: "already", report, events } : { kind: "refused", reason, report, events };
}

function pollUntilDelivered(
  handle: ExecutionHandle,
  before: ExecutionReport,
  message: ControlMessage,
  waitMs: number,
): Promise<DeliveryResult> {
  let seen = -1;
  return pollFor(waitMs, async (isLast) => {
    const report = await handle.status();
    const events = report.seq === seen ? [] : await eventsAbout(handle, message.id, report.seq);
    seen = report.seq;
    const [first] = events;
    if (first !== undefined) return { kind: first.seq > before.seq ? "done" : "already", report, events };
    const reason = isTerminalStatus(report.status) ? "ended" : message.obsoleteReason?.(report);
    if (reason !== undefined) return { kind: "refused", reason, report, events };
    return isLast ? { kind: "pending", report, events } : undefined;
  });
}

/** Returns the events of a signal or a vote, up to a sequence number. */
async function eventsAbout(handle: ExecutionHandle, id: string, seq: number): Promise<readonly Event[]> {
  const found: Event[] = [];
  for await (const { event } of handle.events()) {
    if (event.seq <= seq && isAbout(event, id)) found.push(event);
    if (event.seq >= seq) break;
  }
  return found;
}

function isAbout(event: Event, id: string): boolean {
  switch (event.kind) {
    case "signal.received":
    case "signal.refused":
    case "approval.voted":
    case "approval.refused":
      return event.id === id;
    case "step.completed":
      return event.signal === id;
    default:
      return false;
  }
}
