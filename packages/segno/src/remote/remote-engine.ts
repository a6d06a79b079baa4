// The engine behind a server, as far as commands inspect and control executions.
//
//   R1. A command shows the same for a server as for the journal on the server's machine: it folds the same events, and reads the
//       same values and definitions.
//   R2. This process owns nothing: what the server answers is all that it knows.

import type { SegnoClient } from "@segno/client";
import type {
  ExecutionHandle,
  ExecutionList,
  ListFilter,
  LogOptions,
  StepProgress,
  StoredLine,
  Waiting,
} from "@segno/engine";
import type { ContentHash, Event, ExecutionId, Json, State } from "@segno/kernel";

import type { InspectedEngine, InspectedStates } from "./inspected-engine.ts";
import { RemoteHandle } from "./remote-handle.ts";
import { RemotePrograms } from "./remote-programs.ts";

export class RemoteEngine implements InspectedEngine {
  readonly isOwner = false;
  readonly extensions: InspectedStates;
  readonly #client: SegnoClient;
  readonly #programs: RemotePrograms;
  readonly #closing = new AbortController();

  constructor(client: SegnoClient) {
    this.#client = client;
    this.#programs = new RemotePrograms(client);
    this.extensions = {
      states: {
        initial: (definition) => this.#programs.initialState(definition),
        fold: (id, upTo) => this.#fold(id, upTo),
      },
      readValues: async (id, hashes) => (await client.values(id, hashes)) as ReadonlyMap<ContentHash, Json>,
    };
  }

  async get(id: string): Promise<ExecutionHandle> {
    await this.#client.get(id);
    return new RemoteHandle(id, { client: this.#client, programs: this.#programs, signal: this.#closing.signal });
  }

  async list(filter: ListFilter = {}, cursor?: string): Promise<ExecutionList> {
    return this.#client.listPage(filter, cursor);
  }

  async *logs(id: string, options: LogOptions = {}): AsyncGenerator<StoredLine> {
    const { signal = this.#closing.signal, ...rest } = options;
    const either = AbortSignal.any([signal, this.#closing.signal]);
    yield* this.#client.logs(id, { ...rest, signal: either }) as AsyncGenerator<StoredLine>;
  }

  /** The server answers with the progress of the attempts that run. */
  async progress(id: string): Promise<readonly StepProgress[]> {
    return Object.values((await this.#client.get(id)).progress);
  }

  async why(id: string, step?: string): Promise<readonly Waiting[]> {
    return (await this.#client.why(id, step)) as readonly unknown[] as readonly Waiting[];
  }

  /** Ends the streams that are open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
  }

  async #fold(id: ExecutionId, upTo = Number.POSITIVE_INFINITY): Promise<State | undefined> {
    const events: Event[] = [];
    for await (const event of this.#client.journal(id)) {
      if (event.seq > upTo) break;
      events.push(event);
    }
    return this.#programs.foldEvents(events);
  }
}
