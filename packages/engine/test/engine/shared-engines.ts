// Engines on one memory store, in virtual time. An owner polls once a minute, so posted messages wait for it.

import type { Definition, Json } from "@segno/kernel";
import { Engine, type EngineOptions, type ExecutionHandle, type StartOptions } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";

export class SharedEngines {
  readonly time: VirtualTime = new VirtualTime();
  readonly store: MemoryStore;
  /** The workflow and the input of each attempt, in order. */
  readonly ran: (readonly [workflow: string, input: Json])[] = [];
  /** The codes of all faults that were reported. */
  readonly faults: (string | undefined)[] = [];
  readonly #open: Engine[] = [];

  constructor(store: MemoryStore = new MemoryStore()) {
    this.store = store;
  }

  async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = await Engine.open({
      store: this.store,
      environment: new VirtualEnvironment(this.time),
      onFault: (error) => void this.faults.push((error as { readonly code?: string }).code),
      agents: {
        work: async (input, { execution }) => {
          this.ran.push([execution.workflow, input]);
          return input;
        },
      },
      ...options,
    });
    this.#open.push(engine);
    return engine;
  }

  poster(): Promise<Engine> {
    return this.open({ mode: "post" });
  }

  /** The id, or the code of the refusal. */
  async start(engine: Engine, definition: Definition, input: Json, options: StartOptions): Promise<string> {
    return engine.start(definition, input, options).then(
      ({ id }) => id,
      (error: unknown) => (error as { readonly code: string }).code,
    );
  }

  async statusOf(handle: ExecutionHandle<unknown>): Promise<string> {
    return (await handle.status()).status;
  }

  async close(): Promise<void> {
    for (const engine of this.#open.toReversed()) await engine.close();
  }
}
