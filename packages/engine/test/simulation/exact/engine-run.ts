// An exact run of the engine: the plan, one process, a store that never fails, and the resulting facts.

import { SILENT_LOGGER } from "../../../src/testing/silent-logger.ts";
import { SegnoError } from "@segno/kernel";
import { Engine } from "../../../src/api/engine.ts";
import type { ExecutionHandle } from "../../../src/api/execution-handle.ts";
import type { CommandResult } from "../../../src/inbox/command-options.ts";
import { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import { SimulatedWorld, type SimulatedEnvironment, type Task } from "../../../src/testing/simulated-environment.ts";
import { Actor, type ActorCall } from "./actor.ts";
import type { Deed } from "./deeds.ts";
import { JournalFacts } from "./journal-facts.ts";
import type { Plan } from "./plan.ts";

export interface EngineFacts {
  readonly facts: ReadonlyMap<string, readonly string[]>;
  readonly answers: readonly string[];
  readonly calls: readonly ActorCall[];
}

export class EngineRun {
  readonly #plan: Plan;
  readonly #world: SimulatedWorld;
  readonly #environment: SimulatedEnvironment;
  readonly #store = new MemoryStore();
  readonly #actor: Actor;
  readonly #journals: JournalFacts;
  readonly #answers: string[] = [];
  #engine: Engine | undefined;

  constructor(plan: Plan, onTask: (task: Task, now: number) => void) {
    this.#plan = plan;
    this.#world = new SimulatedWorld(plan.seed);
    this.#world.onTask = onTask;
    this.#environment = this.#world.process("p1");
    this.#actor = new Actor(plan.seed);
    this.#journals = new JournalFacts(plan, this.#environment.now());
  }

  async run(endMs: number): Promise<EngineFacts> {
    const { limits, workflows, retentionMs, deeds, clockJumps } = this.#plan;
    const opening = Engine.open({
      logger: SILENT_LOGGER,
      store: this.#store,
      environment: this.#environment,
      workflows,
      limits,
      breaker: false,
      agents: this.#actor.agentsIn(this.#environment),
      onFault: (error) => {
        throw error;
      },
      ...(retentionMs === undefined ? {} : { retention: { endedMs: retentionMs } }),
    });
    await this.#world.advance(0);
    this.#engine = await opening;
    deeds.forEach((deed, index) => this.#world.schedule(deed.atMs, "user", () => void this.#do(deed, index)));
    for (const { atMs, byMs } of clockJumps)
      this.#world.schedule(atMs, "clock", () => (this.#world.clockOffsetMs += byMs));
    await this.#world.advance(endMs);
    return { facts: await this.#journals.of(this.#store), answers: this.#answers, calls: this.#actor.calls };
  }

  /** The executions that the store still has. */
  async kept(): Promise<readonly string[]> {
    return (await this.#store.find({ limit: 100 })).executions.map(({ id }) => id);
  }

  /** Advances time. */
  async goOn(ms: number): Promise<void> {
    await this.#world.advance(ms);
  }

  async close(): Promise<void> {
    const closing = this.#engine?.close();
    await this.#world.advance(0);
    await closing;
  }

  async #do(deed: Deed, index: number): Promise<void> {
    try {
      this.#answers[index] = await this.#ask(deed);
    } catch (error) {
      this.#answers[index] = error instanceof SegnoError ? `refused ${error.code}` : `threw ${String(error)}`;
    }
  }

  async #ask(deed: Deed): Promise<string> {
    const engine = this.#engine!;
    if (deed.kind !== "start") return readAnswer(await send(await engine.get(deed.id), deed));
    const { id, workflow, input, priority, key } = deed;
    const options = { id, priority, ...(key === undefined ? {} : { idempotencyKey: key }) };
    return `started ${(await engine.start(workflow, input, options)).id}`;
  }
}

function send(handle: ExecutionHandle, deed: Exclude<Deed, { kind: "start" }>): Promise<CommandResult> {
  switch (deed.kind) {
    case "signal":
      return handle.signal(deed.name, deed.payload, { id: deed.signal });
    case "vote": {
      const vote = { by: deed.by, id: deed.vote, comment: "once more" };
      if (deed.verdict === "changes") return handle.requestChanges(deed.step, vote);
      return deed.verdict === "approve" ? handle.approve(deed.step, vote) : handle.reject(deed.step, vote);
    }
    case "cancel": {
      const { mode, compensate, graceMs } = deed;
      return handle.cancel({
        mode,
        compensate,
        reason: "the user wants it",
        ...(graceMs === undefined ? {} : { graceMs }),
      });
    }
    case "pause":
      return handle.pause();
    case "resume":
      return handle.resume();
  }
}

function readAnswer(reception: CommandResult): string {
  return reception.kind === "ignored" ? `ignored ${reception.reason}` : reception.kind;
}
