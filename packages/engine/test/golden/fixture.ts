// The fixture of a golden execution: a real engine on a store, in virtual time, with constant ids and seeds.
//
//   S1. Two plays of one scenario write the same bytes: nothing depends on a clock or on randomness.
//   S2. Happenings that no call of the engine can cause yet (votes, dynamic steps, who paused) are delivered to the
//       execution directly, so that the engine decides, encodes and writes them like any other.

import { epochMs, executionId, stepEpoch, stepNamed, type Happening, type Json, type StepIndex } from "@segno/kernel";
import { Engine, type ExecutionHandle, type StartOptions } from "../../src/index.ts";
import type { AgentFunction } from "../../src/agents/agent.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreAdmin } from "../../src/store/store-admin.ts";
import { Script } from "../../src/testing/script.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import type { Command } from "../../src/inbox/command.ts";
import type { Agents, Scenario } from "./scenario.ts";
import { inspectEngine } from "../../src/testing/index.ts";

/** A happening without its time, which the fixture adds. */
type ToldEvent = Happening extends infer Each ? (Each extends Happening ? Omit<Each, "at"> : never) : never;

/** Explicit, so that other defaults do not change journals. */
const ROOM_FOR_ALL = { slots: 100, perAgent: 100 } as const;

export interface GoldenFixtureOptions extends Pick<Scenario, "workflows"> {
  readonly store: Store;
  readonly agents: Agents;
  /** Virtual milliseconds that have passed when it opens. */
  readonly startsAfterMs?: number;
}

export class GoldenFixture {
  readonly #options: GoldenFixtureOptions;
  readonly #time = new VirtualTime();
  readonly #began: number;
  readonly #framesMax = Error.stackTraceLimit;
  #environment: VirtualEnvironment | undefined;
  #engine: Engine | undefined;

  constructor(options: GoldenFixtureOptions) {
    this.#options = options;
    this.#began = this.#time.now;
    this.#time.shiftClock(options.startsAfterMs ?? 0);
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("the stage is not open");
    return this.#engine;
  }

  get store(): Store {
    return this.#options.store;
  }

  /** The time the given number of virtual milliseconds after the origin. */
  timeAfter(ms: number): number {
    return this.#began + ms;
  }

  async open(): Promise<void> {
    // The frames of a stack are not the same on every machine.
    Error.stackTraceLimit = 0;
    const environment = new VirtualEnvironment(this.#time);
    const { store, workflows, agents } = this.#options;
    this.#environment = environment;
    this.#engine = await Engine.open({
      workflows,
      agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, playable(agent, environment)])),
      store: lent(store),
      environment,
      limits: ROOM_FOR_ALL,
    });
    await this.untilIdle();
  }

  /** Starts an execution and waits for all work that needs no time. */
  async start(
    id: string,
    workflow: string,
    input: Json = null,
    more: Pick<StartOptions, "idempotencyKey" | "labels"> = {},
  ): Promise<ExecutionHandle> {
    const handle = await this.engine.start(workflow, input, { id, correlationId: `golden ${workflow}`, ...more });
    await this.untilIdle();
    return handle;
  }

  /** Posts a start without checks; it is taken when an engine opens. */
  async post(id: string, workflow: string, input: Json): Promise<void> {
    const definition = this.#options.workflows.find(({ name }) => name === workflow)!;
    const { hash, text } = this.engine.register(definition);
    const command: Command = {
      kind: "start",
      workflow,
      definition: hash,
      input,
      seed: 1,
      correlationId: `golden ${workflow}`,
      priority: 0,
    };
    const postedAt = epochMs(this.#time.now);
    const definitions = [{ hash, body: text }];
    await this.store.post({ execution: executionId(id), body: JSON.stringify(command), postedAt, definitions });
  }

  async advance(ms: number): Promise<void> {
    await this.#time.advance(ms);
  }

  async untilIdle(): Promise<void> {
    await this.#time.untilIdle();
  }

  /** The process dies; durable data stays. */
  crash(): void {
    Error.stackTraceLimit = this.#framesMax;
    this.#environment?.crash();
    this.#engine = undefined;
  }

  async restart(): Promise<void> {
    this.crash();
    await this.open();
  }

  /** Delivers a happening to an execution. */
  async tell(id: string, told: ToldEvent): Promise<void> {
    const happening = { ...told, at: epochMs(this.#time.now) } as Happening;
    await inspectEngine(this.engine).deliverTo(executionId(id), { happening });
    await this.untilIdle();
  }

  /** The index of a step by name, and the epoch of its attempt. */
  async stepIndex(id: string, name: string): Promise<{ readonly step: StepIndex; readonly epoch: number }> {
    const state = await inspectEngine(this.engine).readState(executionId(id));
    const step = state === undefined ? undefined : stepNamed(state, name);
    if (state === undefined || step === undefined) throw new Error(`there is no step ${name} of ${id}`);
    return { step, epoch: stepEpoch(state, step) };
  }
}

function playable(agent: AgentFunction | Script, environment: VirtualEnvironment): AgentFunction {
  if (!(agent instanceof Script)) return agent;
  return (input, context) => agent.play(input, context, (ms) => environment.sleep(ms));
}

/** A store that stays open when the engine closes. */
function lent(store: Store & Partial<StoreAdmin>): Store & Partial<StoreAdmin> {
  return {
    ...(store.examine === undefined ? {} : { examine: store.examine.bind(store) }),
    commit: (batch) => store.commit(batch),
    load: (id) => store.load(id),
    loadLast: (id) => store.loadLast(id),
    contents: (request) => store.contents(request),
    find: (query) => store.find(query),
    post: (message) => store.post(message),
    poll: (query) => store.poll(query),
    close: async () => undefined,
  };
}
