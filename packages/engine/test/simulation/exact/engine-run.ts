// An exact run of the engine: the plan, one process, a store that never fails, and everything that came of it as facts.

import {
  compileDefinition,
  createState,
  fold,
  PermanentError,
  readEvent,
  RetryAfterError,
  SegnoError,
  stepName,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Json,
  type Program,
  type State,
} from "@segno/kernel";
import { canonicalHash, definitionText } from "../../../src/definition-text.ts";
import { Engine } from "../../../src/engine.ts";
import type { ExecutionHandle, Reception } from "../../../src/execution-handle.ts";
import { expand } from "../../../src/runners/expansion.ts";
import { skip } from "../../../src/runners/skip.ts";
import type { StepContext } from "../../../src/runners/step-context.ts";
import { MemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { SimulatedWorld, type SimulatedEnvironment, type Task } from "../../../src/testing/simulated-environment.ts";
import { actOf, type Act } from "./act.ts";
import type { Deed } from "./deeds.ts";
import { AGENTS } from "./definitions.ts";
import { factsOf } from "./facts.ts";
import type { Plan } from "./plan.ts";

/** An agent was called. */
export interface EngineCall {
  readonly atMs: number;
  readonly execution: string;
  readonly step: string;
  readonly attempt: number;
  readonly input: Json;
  readonly token: string;
}

export interface EngineFacts {
  readonly facts: ReadonlyMap<string, readonly string[]>;
  readonly answers: readonly string[];
  readonly calls: readonly EngineCall[];
}

export class EngineRun {
  readonly #plan: Plan;
  readonly #world: SimulatedWorld;
  readonly #environment: SimulatedEnvironment;
  readonly #store = new MemoryStore();
  readonly #programs: ReadonlyMap<ContentHash, Program>;
  readonly #answers: string[] = [];
  readonly #calls: EngineCall[] = [];
  readonly faults: unknown[] = [];
  #engine: Engine | undefined;
  #startMs = 0;

  constructor(plan: Plan, onTask: (task: Task, now: number) => void) {
    this.#plan = plan;
    this.#world = new SimulatedWorld(plan.seed);
    this.#world.onTask = onTask;
    this.#environment = this.#world.process("p1");
    this.#programs = new Map(
      plan.workflows.map((workflow) => [canonicalHash(definitionText(workflow)), compiled(workflow)]),
    );
  }

  async run(endMs: number): Promise<EngineFacts> {
    const { limits, workflows, retentionMs } = this.#plan;
    this.#startMs = this.#environment.now();
    const opening = Engine.open({
      store: this.#store,
      environment: this.#environment,
      workflows,
      limits,
      breaker: false,
      agents: Object.fromEntries(
        AGENTS.map((name) => [name, (input: Json, context: StepContext) => this.#act(input, context)]),
      ),
      onFault: (error) => this.faults.push(error),
      ...(retentionMs === undefined ? {} : { retention: { endedMs: retentionMs } }),
    });
    await this.#world.advance(0);
    this.#engine = await opening;
    this.#plan.deeds.forEach((deed, index) =>
      this.#world.schedule(deed.atMs, "user", () => void this.#do(deed, index)),
    );
    await this.#world.advance(endMs);
    return { facts: await this.#facts(), answers: this.#answers, calls: this.#calls };
  }

  /** The executions that the store still has. */
  async kept(): Promise<readonly string[]> {
    return (await this.#store.find({ limit: 100 })).executions.map(({ id }) => id);
  }

  /** Lets more time pass. */
  async goOn(ms: number): Promise<void> {
    await this.#world.advance(ms);
  }

  async close(): Promise<void> {
    const closing = this.#engine?.close();
    await this.#world.advance(0);
    await closing;
  }

  async #facts(): Promise<ReadonlyMap<string, readonly string[]>> {
    const facts = new Map<string, readonly string[]>();
    for (const id of await this.kept()) facts.set(id, await this.#factsOf(id as ExecutionId));
    return facts;
  }

  async #factsOf(id: ExecutionId): Promise<readonly string[]> {
    const loaded = await this.#store.load(id);
    if (loaded?.kind !== "execution") return [`unreadable ${loaded?.reason ?? ""}`];
    const state = createState(this.#programs.get(loaded.projection.definition)!, this.#programs);
    const facts: string[] = [];
    for (const line of loaded.blocks.flatMap(({ body }) => body.split("\n"))) {
      const event = eventIn(line);
      fold(state, event);
      facts.push(...factsOf(event, event.at - this.#startMs, (step) => nameIn(state, step), this.#startMs));
    }
    return facts;
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
    if (deed.kind !== "start") return answerOf(await send(await engine.get(deed.id), deed));
    const { id, workflow, input, priority, key } = deed;
    const options = { id, priority, ...(key === undefined ? {} : { idempotencyKey: key }) };
    return `started ${(await engine.start(workflow, input, options)).id}`;
  }

  async #act(input: Json, context: StepContext): Promise<unknown> {
    const { executionId: execution, stepId: step, attempt } = context;
    const atMs = this.#environment.now() - this.#startMs;
    this.#calls.push({ atMs, execution, step, attempt, input, token: context.token });
    const act = actOf(this.#plan.seed, execution, step, attempt);
    const isOver = await this.#playUntilStopped(act, context.signal);
    return isOver ? endOf(act.end, `${step}#${attempt}`, act) : this.#stop(act, `${step}#${attempt}`, context.signal);
  }

  /** Whether it came to its end, and was not told to stop before. */
  #playUntilStopped(act: Act, signal: AbortSignal): Promise<boolean> {
    const end = this.#environment.sleep(act.afterMs, "end of an attempt").then(() => true);
    if (act.onAbort === "ignore") return end;
    const stopped = new Promise<boolean>((resolve) => {
      if (signal.aborted) resolve(false);
      else signal.addEventListener("abort", () => resolve(false), { once: true });
    });
    return Promise.race([end, stopped]);
  }

  async #stop(act: Act, output: string, signal: AbortSignal): Promise<unknown> {
    if (act.cleanUpMs > 0) await this.#environment.sleep(act.cleanUpMs, "cleaning up");
    if (act.onAbort === "return") return output;
    throw signal.reason;
  }
}

function endOf(end: Act["end"], output: string, { retryAfterMs }: Act): unknown {
  switch (end) {
    case "succeed":
      return output;
    case "skip":
      return skip("nothing to do");
    case "expand":
      return expand([
        { id: "e0", agent: "worker1" },
        { id: "e1", agent: "worker0", dependsOn: ["e0"] },
      ]);
    case "transient":
      throw new Error("it failed");
    case "permanent":
      throw new PermanentError("it will always fail");
    case "wait":
      throw new RetryAfterError("not now", retryAfterMs);
  }
}

function compiled(workflow: Plan["workflows"][number]): Program {
  const result = compileDefinition(workflow);
  if (result.kind === "program") return result.program;
  throw new Error(`the generator made an invalid definition: ${JSON.stringify(result.problems[0])}`);
}

function eventIn(line: string): Event {
  const read = readEvent(JSON.parse(line) as Json);
  if (read.kind === "event") return read.event;
  throw new Error(`the journal has an unreadable event: ${read.message}`);
}

function nameIn(state: State, step: number): string {
  return stepName(state, step);
}

function send(handle: ExecutionHandle, deed: Exclude<Deed, { kind: "start" }>): Promise<Reception> {
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

function answerOf(reception: Reception): string {
  return reception.kind === "ignored" ? `ignored ${reception.reason}` : reception.kind;
}
