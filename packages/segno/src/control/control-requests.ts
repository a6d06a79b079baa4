// The control commands of the command line, as requests: how each is sent, when it is allowed, when it has taken effect.

import type { CancelOptions } from "@segno/engine";
import { isTerminalStatus } from "@segno/kernel";

import type { ControlRequest } from "./send-control.ts";

export function cancelRequest(options: CancelOptions): ControlRequest {
  return {
    send: (handle) => handle.cancel(options),
    isSatisfied: () => false,
    isAllowed: (status) => !isTerminalStatus(status),
    hasTakenEffect: ({ status }) => isTerminalStatus(status),
  };
}

export const PAUSE: ControlRequest = {
  send: (handle) => handle.pause(),
  isSatisfied: (status) => status === "paused",
  isAllowed: (status) => !isTerminalStatus(status) && status !== "cancelling",
  hasTakenEffect: ({ status }) => status === "paused" || status === "parked",
};

export const RESUME: ControlRequest = {
  send: (handle) => handle.resume(),
  isSatisfied: (status) => status !== "paused" && status !== "parked" && !isTerminalStatus(status),
  isAllowed: (status) => !isTerminalStatus(status),
  hasTakenEffect: ({ status, seq }, before) => status !== before.status || seq > before.seq,
};

export const RETRY: ControlRequest = {
  send: (handle) => handle.retry(),
  isSatisfied: () => false,
  isAllowed: (status) => status === "failed",
  // The status is not enough: the new round may have ended before the first poll.
  hasTakenEffect: ({ round }, before) => round > before.round,
};

/** The status does not change: an execution ends as it had ended before, so only the sequence number shows the effect. */
export const RETRY_UNDO: ControlRequest = {
  send: (handle) => handle.retry({ undo: true }),
  isSatisfied: () => false,
  isAllowed: (status, { notUndone = [] }) => isTerminalStatus(status) && notUndone.length > 0,
  hasTakenEffect: ({ seq }, before) => seq > before.seq,
};

export const RETRY_TOLERATED: ControlRequest = {
  send: (handle) => handle.retry({ tolerated: true }),
  isSatisfied: () => false,
  isAllowed: (status, { toleratedFailures = 0 }) => status === "completed" && toleratedFailures > 0,
  hasTakenEffect: ({ round }, before) => round > before.round,
};
