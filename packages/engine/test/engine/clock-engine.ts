// Engines on one store whose wall clock can be set independently of elapsed time.

import type { EpochMs } from "@segno/kernel";
import { Engine, type AgentFunction, type SystemPorts } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { SimulatedWorld, type SimulatedEnvironment } from "../../src/testing/index.ts";

const POLL_MS = 1000;

/** A process of the world that also runs while a test awaits one of its promises. */
export class ClockEngine implements AsyncDisposable {
  readonly world: SimulatedWorld = new SimulatedWorld(1);
  readonly #store: MemoryStore;
  readonly #agents: Readonly<Record<string, AgentFunction>>;
  #process: SimulatedEnvironment | undefined;
  #engine: Engine | undefined;

  constructor(agents: Readonly<Record<string, AgentFunction>>, store: MemoryStore = new MemoryStore()) {
    this.#agents = agents;
    this.#store = store;
  }

  get engine(): Engine {
    return this.#engine!;
  }

  get now(): EpochMs {
    return this.world.clock;
  }

  /** Sets the clock; no time passes. */
  shift(ms: number): void {
    this.world.clockOffsetMs += ms;
  }

  async open(): Promise<void> {
    this.#process = this.world.process("engine");
    const environment: SystemPorts = this.#process;
    const store = this.#store;
    const lent = {
      commit: store.commit.bind(store),
      load: store.load.bind(store),
      loadLast: store.loadLast.bind(store),
      contents: store.contents.bind(store),
      find: store.find.bind(store),
      post: store.post.bind(store),
      poll: store.poll.bind(store),
      sweepKeys: store.sweepKeys.bind(store),
      examine: store.examine.bind(store),
      close: async () => undefined,
    };
    this.#engine = await this.during(Engine.open({ store: lent, environment, agents: this.#agents, pollMs: POLL_MS }));
  }

  /** The process dies and another one opens. */
  async restart(): Promise<void> {
    this.#process?.crash();
    await this.open();
    await this.world.advance(0);
  }

  /** Awaits a promise that needs the world to run, but no time. */
  async during<Result>(promise: Promise<Result>): Promise<Result> {
    const progress = { isOver: false };
    const over = promise.finally(() => (progress.isOver = true));
    over.catch(() => undefined);
    for (let round = 0; round < 100 && !progress.isOver; round++) await this.world.advance(0);
    if (!progress.isOver) throw new Error("it takes time");
    return over;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#engine !== undefined) await this.during(this.#engine.close());
  }
}
