// The step context of an agent on a worker thread.
//
//   TC1. When the attempt is completed, its context is muted: it drops log lines and heartbeats. Code that the agent left
//        running on the thread therefore cannot write in the name of the next attempt (LEASE-2).

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { ExecutionInfo, ReceivedArtifacts, StepContext, StepInfo } from "../../agents/step-context.ts";
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
  readonly execution: ExecutionInfo;
  readonly step: StepInfo;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  readonly token: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, number>>;
  readonly artifacts: ReceivedArtifacts;
  readonly log: StepLogger;
  readonly #link: ThreadLink;
  readonly #controller = new AbortController();
  #isMuted = false;

  constructor(work: ThreadWork, link: ThreadLink) {
    this.input = work.input;
    this.execution = Object.freeze(work.execution);
    this.step = Object.freeze(work.step);
    this.attempt = work.attempt;
    this.deadline = work.deadline;
    this.token = work.token;
    this.secrets = Object.freeze(work.secrets);
    this.resources = Object.freeze(work.resources);
    this.artifacts = Object.freeze(work.artifacts);
    this.log = threadLogger((line) => {
      if (!this.#isMuted) link.write(line);
    });
    this.#link = link;
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

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** TC1. */
  mute(): void {
    this.#isMuted = true;
  }
}
