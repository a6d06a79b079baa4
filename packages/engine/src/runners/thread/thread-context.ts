// What a function on a thread gets beside its input.
//
//   X1. When its work is over, it is mute: what the function left behind on the thread neither writes lines nor beats in the
//       name of the work that comes next (LEASE-2).

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { StepContext } from "../../agents/step-context.ts";
import { threadLogger } from "./thread-logger.ts";
import type { ThreadLine, ThreadWork } from "./thread-message.ts";

/** The way to the calling thread. */
export interface ThreadLink {
  write(line: ThreadLine): void;
  beat(): void;
  /** Takes what has been sent to this thread, also in the middle of a function that never waits. */
  listen(): void;
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
  #isOver = false;

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
      if (!this.#isOver) link.write(line);
    });
    this.#link = link;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heartbeat(): void {
    this.#link.listen();
    this.signal.throwIfAborted();
    if (!this.#isOver) this.#link.beat();
  }

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** X1. */
  mute(): void {
    this.#isOver = true;
  }
}
