// Sleeping executions, in virtual time, on any kind of store, and an engine that can be closed and reopened.

import { Engine, sleepUntil, workflow } from "../../src/index.ts";
import type { EngineStore } from "../../src/store/engine-store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";

/** Opens a store, and the same one again after it was closed. */
export type StoreOpener = () => Promise<EngineStore>;

/** Keeps its content when an engine closes it. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

export function memory(): StoreOpener {
  const store = new KeptStore();
  return async () => store;
}

export function sqlite(file: string): StoreOpener {
  return () => openSqliteStore(file, { durability: "relaxed", writer: "main" });
}

/** The execution that woke, its due time, and the actual time. */
export interface Waking {
  readonly due: number;
  readonly at: number;
}

export class SleepingExecutions implements AsyncDisposable {
  readonly woken: Waking[] = [];
  readonly #time = new VirtualTime();
  readonly #open: StoreOpener;
  readonly #sleeper = workflow<number>("sleeper")
    .step("nap", sleepUntil("${ input }"))
    .step("wake", { dependsOn: ["nap"] }, ({ input }) => void this.woken.push({ due: input, at: this.now }));
  #engine: Engine | undefined;

  constructor(open: StoreOpener) {
    this.#open = open;
  }

  get now(): number {
    return this.#time.now;
  }

  async open(): Promise<void> {
    const environment = new VirtualEnvironment(this.#time);
    this.#engine = await Engine.open({ store: await this.#open(), environment, workflows: [this.#sleeper] });
    await this.#time.untilIdle();
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }

  /** Starts all sleeping executions, in the order of the list. */
  async sleep(dues: readonly number[]): Promise<void> {
    await Promise.all(dues.map((due) => this.#engine!.start(this.#sleeper, due)));
    await this.#time.untilIdle();
  }

  async advance(ms: number): Promise<void> {
    await this.#time.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
