// The messages between the main thread and a worker thread. All of them survive a structured clone unchanged.
//
//   MG1. A thread runs one attempt at a time and answers it with one `completed`, so attempts need no ids. Recorded calls
//        have ids, which a thread uses only once: a reply that comes after its attempt reaches no other call.
//   MG2. An agent that writes log lines, bytes or recorded calls faster than the main thread reads them is blocked, so memory is
//        bounded. At most one heartbeat is in flight, because only the time of the last one matters, and at most one
//        progress, because only the latest one matters.
//   MG3. Return values are sent as JSON text: a clone would turn instances of classes into plain objects (DATA-8).
//   MG4. User code shares the thread and can replace whatever builds or sends a message. So the main thread reads every
//        message as data of user code (`read-message.ts`).

import type { Json } from "@segno/kernel";
import type { LogFields, LogLevel } from "../../events/logger.ts";
import type { ProgressValue } from "../../agents/progress.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { Thrown } from "./thrown.ts";

/** An absolute path and the name of an export. */
export interface ThreadModule {
  readonly path: string;
  readonly exportName: string;
}

/** An attempt as it is sent to a thread. */
export interface ThreadWork extends Omit<StepContext, "signal" | "log" | "heartbeat" | "progress" | "stream" | "run"> {
  readonly module: ThreadModule;
  /** The maximum number of recorded calls of the attempt; undefined if it cannot make any. */
  readonly callsMax: number | undefined;
  readonly dependencyOutputs: Readonly<Record<string, Json>>;
}

export type MessageToThread =
  | { readonly kind: "run"; readonly work: ThreadWork }
  | { readonly kind: "abort"; readonly reason: string }
  | { readonly kind: "call-reply"; readonly id: number; readonly reply: CallReply };

/** The reply to a message about a recorded call. */
export type CallReply =
  /** The value as it is recorded. */
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "not-recorded" }
  | { readonly kind: "threw"; readonly error: Thrown };

export type MessageFromThread =
  | { readonly kind: "heartbeat" }
  | { readonly kind: "progress"; readonly progress: ProgressValue }
  | ThreadLine
  | ThreadCall
  | { readonly kind: "chunk"; readonly stream: "stdout" | "stderr"; readonly chunk: Uint8Array<ArrayBuffer> }
  /** `isBroken`: an uncaught error occurred, so the thread runs nothing more. */
  | { readonly kind: "completed"; readonly result: AgentResult; readonly isBroken: boolean }
  /** An uncaught error while no attempt was running; the thread runs nothing more. */
  | { readonly kind: "broken"; readonly error: Thrown };

export interface ThreadLine {
  readonly kind: "line";
  readonly level: LogLevel;
  readonly fields: LogFields;
  readonly message: string;
}

/** A message about a recorded call (STATE-14). Each gets one reply with its id. */
export type ThreadCall =
  /** The call is about to begin: asks for its recorded value. */
  | { readonly kind: "call-find"; readonly id: number; readonly name: string }
  /** The call that `call-find` named with this id has returned. */
  | { readonly kind: "call-record"; readonly id: number; readonly value: CallValue };

/** The value of a recorded call. */
export type CallValue = SerializedValue<"returned">;

/** The value that an agent returned, or the error that it threw. */
export type AgentResult =
  | SerializedValue<"returned">
  | { readonly kind: "skipped"; readonly reason: string }
  /** The steps of an expansion and the id of its result step; the main thread checks them (MG3). */
  | SerializedValue<"expanded">
  | { readonly kind: "threw"; readonly error: Thrown };

/** A value as JSON text, or the reason why it cannot be an output, or the steps of an expansion. */
export type SerializedValue<Kind extends "returned" | "expanded"> =
  | { readonly kind: Kind; readonly text: string }
  | { readonly kind: "refused"; readonly value: Kind; readonly reason: RefusalReason };

export type RefusalReason =
  | { readonly kind: "unreadable" }
  | { readonly kind: "not-json"; readonly path: string; readonly found: string }
  | { readonly kind: "too-large"; readonly bytes?: number };

/** Indexes in the shared memory: how many messages were sent and not read yet (MG2). Writes are lines, chunks and messages about recorded calls. */
export const WRITES_IN_FLIGHT = 0;
export const HEARTBEAT_IN_FLIGHT = 1;
export const PROGRESS_IN_FLIGHT = 2;
export const SHARED_LENGTH = 3;
