// The step context of an agent on a worker thread.
//
//   TC1. When the attempt is completed, its context is muted: it drops log lines and heartbeats. Code that the agent left
//        running on the thread therefore cannot write in the name of the next attempt (LEASE-2).

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { StepContext } from "../../agents/step-context.ts";
import { threadLogger } from "./thread-logger.ts";
import type { ThreadLine, ThreadWork } from "./thread-message.ts";

/** The connection to the main thread. */
export interface ThreadLink {
  write(line: ThreadLine): void;
  sendHeartbeat(): void;
  /** Handles the messages sent to this thread so far, even while an agent blocks the thread's event loop. */
  receivePending(): void;
}

export class ThreadContext implements StepContext {
  readonly input: Json;
  readonly executionId: string;
  readonly workflow: string;
  readonly correlationId: string;
  readonly startedAt: EpochMs;
  readonly stepId: string;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  readonly token: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, number>>;
  readonly logger: StepLogger;
  readonly #link: ThreadLink;
  readonly #controller = new AbortController();
  #isMuted = false;

  constructor(work: ThreadWork, link: ThreadLink) {
    this.input = work.input;
    this.executionId = work.executionId;
    this.workflow = work.workflow;
    this.correlationId = work.correlationId;
    this.startedAt = work.startedAt;
    this.stepId = work.stepId;
    this.attempt = work.attempt;
    this.deadline = work.deadline;
    this.token = work.token;
    this.secrets = Object.freeze(work.secrets);
    this.resources = Object.freeze(work.resources);
    this.logger = threadLogger((line) => {
      if (!this.#isMuted) link.write(line);
    });
    this.#link = link;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heartbeat(): void {
    this.#link.receivePending();
    this.signal.throwIfAborted();
    if (!this.#isMuted) this.#link.sendHeartbeat();
  }

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** TC1. */
  mute(): void {
    this.#isMuted = true;
  }
}
