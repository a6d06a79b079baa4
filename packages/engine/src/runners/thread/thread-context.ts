// The step context of an agent on a worker thread.
//
//   TC1. When the attempt is completed, its context is muted: it drops log lines, streamed text, progress and heartbeats. Code that the agent left
//        running on the thread therefore cannot write in the name of the next attempt (LEASE-2). Its recorded calls are
//        refused.

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { ExecutionInfo, ReceivedArtifacts, StepContext, StepInfo } from "../../agents/step-context.ts";
import { checkProgress, type ProgressValue, type ReportProgress } from "../../agents/progress.ts";
import { streamBytes, type StreamWriter } from "../../agents/stream-writer.ts";
import type { RunCall } from "../../agents/recorded-call.ts";
import type { RecordedCalls } from "../recorded-calls.ts";
import type { CallLink } from "./call-link.ts";
import { threadLogger } from "./thread-logger.ts";
import type { ThreadCall, ThreadLine, ThreadWork } from "./thread-message.ts";

/** The connection to the main thread. */
export interface ThreadLink {
  write(message: ThreadLine | ThreadCall): void;
  sendHeartbeat(): void;
  /** Returns false if another progress is in flight. */
  sendProgress(progress: ProgressValue): boolean;
  sendChunks(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /** Handles the messages sent to this thread so far, even while an agent blocks the thread's event loop. */
  receivePending(): void;
}

const PROGRESS_RETRY_MS = 20;

export class ThreadContext implements StepContext {
  readonly input: Json;
  readonly execution: ExecutionInfo;
  readonly step: StepInfo;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  readonly token: string;
  readonly traceparent: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, number>>;
  readonly artifacts: ReceivedArtifacts;
  readonly log: StepLogger;
  readonly #link: ThreadLink;
  readonly #callLink: CallLink;
  readonly #callsMax: number | undefined;
  /** Undefined until the agent makes a recorded call. */
  #calls: Promise<RecordedCalls> | undefined;
  readonly #controller = new AbortController();
  /** The latest progress, while another one is in flight. */
  #unsentProgress: ProgressValue | undefined;
  #isMuted = false;

  constructor(work: ThreadWork, link: ThreadLink, calls: CallLink) {
    this.input = work.input;
    this.execution = Object.freeze(work.execution);
    this.step = Object.freeze(work.step);
    this.attempt = work.attempt;
    this.deadline = work.deadline;
    this.token = work.token;
    this.traceparent = work.traceparent;
    this.secrets = Object.freeze(work.secrets);
    this.resources = Object.freeze(work.resources);
    this.artifacts = Object.freeze(work.artifacts);
    this.log = threadLogger((line) => {
      if (!this.#isMuted) link.write(line);
    });
    this.#link = link;
    this.#callLink = calls;
    this.#callsMax = work.callsMax;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get heartbeat(): () => void {
    return () => {
      this.#link.receivePending();
      this.signal.throwIfAborted();
      if (!this.#isMuted) this.#link.sendHeartbeat();
    };
  }

  get progress(): ReportProgress {
    return (given) => {
      const progress = checkProgress(given);
      const isTimerSet = this.#unsentProgress !== undefined;
      this.#unsentProgress = progress;
      this.#sendProgress(isTimerSet);
    };
  }

  get stream(): StreamWriter {
    return (text) => {
      const bytes = streamBytes(text);
      if (!this.#isMuted) this.#link.sendChunks("stdout", bytes);
    };
  }

  /** While another progress is in flight, the latest one waits; the timer does not keep the thread alive. */
  #sendProgress(isTimerSet: boolean): void {
    const progress = this.#unsentProgress;
    if (progress === undefined) return;
    if (this.#isMuted || this.#link.sendProgress(progress)) this.#unsentProgress = undefined;
    else if (!isTimerSet) setTimeout(() => this.#sendProgress(false), PROGRESS_RETRY_MS).unref();
  }

  /**
   * The code of recorded calls is loaded with the first one, so that threads start fast. Calls that are made meanwhile
   * continue in their order, so they get the names of their positions.
   */
  get run(): RunCall {
    return async (name, work, options) => {
      const calls = await (this.#calls ??= this.#loadCalls());
      return calls.run(name, work, options);
    };
  }

  async #loadCalls(): Promise<RecordedCalls> {
    const { newThreadCalls } = await import("./thread-calls.ts");
    return newThreadCalls(this.#callLink, {
      callsMax: this.#callsMax,
      isEnded: () => this.#isMuted,
      signal: () => this.signal,
    });
  }

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** TC1. */
  mute(): void {
    this.#isMuted = true;
  }
}
