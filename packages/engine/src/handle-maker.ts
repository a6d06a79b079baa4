// The handle of an engine: what can be asked of an execution, and what can be wished of it.
//
// A class, not an object of functions: a program may hold 100,000 handles, and fifteen functions for each were most of what
// the collector had to look at.

import type { ExecutionId, Json } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { WatchEvent } from "./events/watch-event.ts";
import type {
  CancelOptions,
  ExecutionHandle,
  ExecutionReport,
  Reception,
  RetryOptions,
  VoteOptions,
} from "./execution-handle.ts";
import type { Following } from "./following.ts";
import { takeJson } from "./own-json.ts";
import { cancelWish, checkSignalOptions, retryWish, signalWish, voteWish } from "./steering.ts";
import type { Wishes } from "./wishes.ts";

export interface HandlePorts {
  readonly following: Following;
  readonly wishes: Wishes;
  readonly environment: Environment;
}

export class EngineHandle implements ExecutionHandle {
  readonly id: ExecutionId;
  readonly #ports: HandlePorts;

  constructor(id: ExecutionId, ports: HandlePorts) {
    this.id = id;
    this.#ports = ports;
  }

  result(): Promise<Json> {
    return this.#ports.following.result(this.id);
  }

  status(): Promise<ExecutionReport> {
    return this.#ports.following.status(this.id);
  }

  output(step: string): Promise<Json | undefined> {
    return this.#ports.following.output(this.id, step);
  }

  events(): AsyncIterable<WatchEvent> {
    return this.#ports.following.events(this.id);
  }

  async cancel(options: CancelOptions = {}): Promise<Reception> {
    const wish = cancelWish(options);
    return this.#ports.wishes.bring(this.id, () => wish);
  }

  pause(): Promise<Reception> {
    return this.#ports.wishes.bring(this.id, () => ({ kind: "pause" }));
  }

  resume(): Promise<Reception> {
    return this.#ports.wishes.bring(this.id, () => ({ kind: "resume" }));
  }

  async retry(options: RetryOptions = {}): Promise<Reception> {
    const wish = retryWish(options);
    return this.#ports.wishes.bring(this.id, () => wish);
  }

  async signal(name: string, payload: Json = null, options: { readonly id?: string } = {}): Promise<Reception> {
    checkSignalOptions(options);
    const [own, id] = [takeJson("the payload of a signal", payload), options?.id];
    return this.#ports.wishes.bring(this.id, () => signalWish(id ?? this.#newId(), name, own));
  }

  async approve(step: string, options: VoteOptions): Promise<Reception> {
    const wish = voteWish("approve", step, options, () => this.#newId());
    return this.#ports.wishes.bring(this.id, () => wish);
  }

  async reject(step: string, options: VoteOptions): Promise<Reception> {
    const wish = voteWish("reject", step, options, () => this.#newId());
    return this.#ports.wishes.bring(this.id, () => wish);
  }

  async requestChanges(step: string, options: VoteOptions): Promise<Reception> {
    const wish = voteWish("changes", step, options, () => this.#newId());
    return this.#ports.wishes.bring(this.id, () => wish);
  }

  #newId(): string {
    return this.#ports.environment.id();
  }
}
