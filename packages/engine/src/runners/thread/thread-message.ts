// What is said between the calling thread and a thread of agents. Everything is data that a structured clone keeps as it is.
//
//   N1. A thread has one piece of work at a time, and answers it with one `ended`; so nothing of it needs a number.
//   N2. Whoever writes lines or output faster than they are taken waits, so that they need no more memory than so many. Of
//       heartbeats one is under way at most: they say only when the last one was.
//   N3. Values that come back are JSON text: a clone would let instances of classes pass as plain objects (DATA-8).

import type { Failure, Json } from "@segno/kernel";
import type { LogFields, LogLevel } from "../../events/logger.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { Thrown } from "./thrown.ts";

/** An absolute path, and what of the module is meant. */
export interface ThreadModule {
  readonly path: string;
  readonly exportName: string;
}

/** An attempt, as it is told to a thread. */
export interface ThreadWork extends Omit<StepContext, "signal" | "logger" | "heartbeat"> {
  readonly module: ThreadModule;
  readonly outputs: Readonly<Record<string, Json>>;
}

export type ThreadRequest =
  | { readonly kind: "run"; readonly work: ThreadWork }
  | { readonly kind: "abort"; readonly reason: string };

export type ThreadReport =
  | { readonly kind: "beat" }
  | ThreadLine
  | { readonly kind: "wrote"; readonly stream: "stdout" | "stderr"; readonly chunk: Uint8Array<ArrayBuffer> }
  /** A broken thread does nothing more: something that nobody caught went through it. */
  | { readonly kind: "ended"; readonly end: ThreadEnd; readonly isBroken: boolean }
  /** Something that nobody caught, while no work was under way; the thread begins none any more. */
  | { readonly kind: "broken"; readonly error: Thrown };

export interface ThreadLine {
  readonly kind: "line";
  readonly level: LogLevel;
  readonly fields: LogFields;
  readonly message: string;
}

export type ThreadEnd =
  | { readonly kind: "returned"; readonly text: string }
  | { readonly kind: "skipped"; readonly reason: string }
  /** Its steps and its result, as it was returned; they are looked at on the other side (N3). */
  | { readonly kind: "expanded"; readonly text: string }
  /** What it returned is no output. */
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "threw"; readonly error: Thrown };

/** Places in the memory that both sides see: how many messages of a kind have been sent and not been taken (N2). */
export const TEXTS_UNDER_WAY = 0;
export const BEAT_UNDER_WAY = 1;
export const SHARED_PLACES = 2;
