// Recorded calls of an agent on a worker thread (STATE-14). They are made on the thread; the main thread finds and records
// their values (`call-replies.ts`).

import { epochMs, type EpochMs, type Json } from "@segno/kernel";
import { attemptEndedError, CallError, RecordedCalls, type CallRecorder } from "../recorded-calls.ts";
import { toCallValue } from "./agent-result.ts";
import type { CallLink } from "./call-link.ts";
import type { CallReply } from "./thread-message.ts";
import { deserializeThrown } from "./thrown.ts";

/** The attempt, as its recorded calls see it. */
export interface CallingAttempt {
  readonly callsMax: number | undefined;
  signal(): AbortSignal;
  isEnded(): boolean;
}

export function newThreadCalls(link: CallLink, attempt: CallingAttempt): RecordedCalls {
  const { callsMax } = attempt;
  if (callsMax === undefined) throw new CallError("CALL_INVALID", "this attempt cannot make recorded calls");
  const assertRunning = (): void => {
    attempt.signal().throwIfAborted();
    if (attempt.isEnded()) throw attemptEndedError();
  };
  const recorder = new ThreadRecorder(link, callsMax, assertRunning);
  return new RecordedCalls(recorder, () => attempt.signal(), assertRunning);
}

class ThreadRecorder implements CallRecorder {
  readonly callsMax: number;
  readonly #link: CallLink;
  readonly #assertRunning: () => void;
  /** By name: the ids of the calls that have begun. Names are unique in an attempt. */
  readonly #ids = new Map<string, number>();

  constructor(link: CallLink, callsMax: number, assertRunning: () => void) {
    this.#link = link;
    this.callsMax = callsMax;
    this.#assertRunning = assertRunning;
  }

  /** The main thread records its own time. */
  now(): EpochMs {
    return epochMs(Date.now());
  }

  after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  }

  async find(name: string): Promise<Json | undefined> {
    this.#assertRunning();
    const id = this.#link.nextId();
    this.#ids.set(name, id);
    return valueOf(await this.#link.find(id, name));
  }

  async record(name: string, _startedAt: EpochMs, value: unknown): Promise<Json> {
    this.#assertRunning();
    const id = this.#ids.get(name)!;
    this.#ids.delete(name);
    return valueOf(await this.#link.record(id, toCallValue(value))) ?? null;
  }
}

function valueOf(reply: CallReply): Json | undefined {
  if (reply.kind === "threw") throw deserializeThrown(reply.error);
  return reply.kind === "value" ? reply.value : undefined;
}
