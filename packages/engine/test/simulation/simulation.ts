// One seed, one run of the real kernel and engine: workflows, a user, a store and processes that fail, and claims that
// must still hold.
//
//   Z1. While faults happen, everything acknowledged is durable (I1 to I6 of the ledger, and the user's claims).
//   Z2. At every quiet moment a live execution equals the fold of its journal, and the slots in use are the running
//       attempts; without running attempts, no capacity is held.
//   Z3. After faults stop, all executions end: signals are sent, paused executions are resumed, and nothing is left
//       over.

import { createHash, type Hash } from "node:crypto";
import { compiledStep, isTerminalStatus, stepStatus, stepCount, type ExecutionId } from "@segno/kernel";
import { Engine } from "../../src/api/engine.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { AgentFunction } from "../../src/agents/agent.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { Random } from "../../src/testing/random.ts";
import { SharedStorage, FaultyStore, NO_FAULTS, type FaultRates } from "../../src/testing/faulty-store.ts";
import {
  quiet,
  SimulatedWorld,
  type SimulatedEnvironment,
  type Task,
} from "../../src/testing/simulated-environment.ts";
import { Agents } from "./agents.ts";
import { attemptsInUse, attemptsRunning } from "./attempts-in-use.ts";
import { Coverage, type Trouble } from "./coverage.ts";
import { Ledger } from "./ledger.ts";
import { SILENT_LOGGER } from "../../src/testing/silent-logger.ts";
import { stateImage } from "./state-image.ts";
import { SimulatedClient } from "./simulated-client.ts";
import type { SimulationOptions } from "./simulation-options.ts";
import { AGENTS, makeWorkflows, ROOM, UNKNOWN_AGENT, type Workflows } from "./workflows.ts";
import { inspectAdmission, inspectEngine } from "../../src/testing/index.ts";

export interface SimulationResult {
  readonly seed: number;
  readonly trace: string;
  readonly tasks: number;
  readonly coverage: Coverage;
  /** The claim that did not hold, if there is one. */
  readonly failure: string | undefined;
  readonly log: readonly string[];
}

/** A process, with its open engine. */
export interface Machine {
  readonly environment: SimulatedEnvironment;
  readonly mode: "own" | "post";
  readonly opening: Promise<Engine | undefined>;
  engine: Engine | undefined;
  isClosing: boolean;
}

/** A claim does not hold: the run is over. */
export class ClaimBroken extends Error {}

/** The kinds of user: an ordinary one, one whose machine keeps dying, one who keeps changing their mind. */
const PROFILES = ["plain", "plain", "plain", "storm", "fickle", "repeating"] as const;

export type Profile = (typeof PROFILES)[number];

const TASKS_MAX = 60_000;

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
}

export class Simulation {
  readonly seed: number;
  readonly world: SimulatedWorld;
  readonly chance: Random;
  readonly coverage: Coverage = new Coverage();
  readonly workflows: Workflows;
  readonly agents: Agents = new Agents();
  readonly disk: SharedStorage = new SharedStorage(new MemoryStore());
  readonly ledger: Ledger;
  readonly limits: { readonly slots: number; readonly perAgent: number; readonly liveExecutions: number };
  readonly pollMs: number;
  failure: string | undefined;
  /** An owner lost the store: its pending writes may become durable after the next owner has read. */
  isLate = false;
  owner: Machine | undefined;
  poster: Machine | undefined;
  readonly #hash: Hash = createHash("sha256");
  readonly #log: string[] = [];
  readonly #isLogged: boolean;
  readonly profile: Profile;
  readonly user: SimulatedClient;
  readonly #seqSeen = new Map<ExecutionId, number>();
  readonly #askedBefore = new Map<ExecutionId, ReadonlySet<number>>();
  #tasks = 0;
  #processes = 0;
  #deployed = 0;
  #lockedBy: SimulatedEnvironment | undefined;
  #onLost: (() => void) | undefined;

  constructor(seed: number, options: SimulationOptions) {
    this.seed = seed;
    this.#isLogged = options.isLogged === true;
    this.agents.makesCalls = options.makesCalls === true;
    this.world = new SimulatedWorld(seed);
    this.chance = new Random(seed ^ 0x5e6d0);
    this.profile = this.chance.pick(PROFILES);
    this.workflows = makeWorkflows(this.chance, seed);
    this.agents.isSlow = this.profile === "storm";
    const { programs } = this.workflows;
    this.ledger = new Ledger(
      programs,
      this.coverage,
      (claim) => this.break(claim),
      (hash) => this.#hash.update(hash),
    );
    this.disk.onCommitted = (batch): void => {
      this.note(
        `  durable ${batch.appends.map(({ execution, block }) => `${execution}: ${kindsIn(block?.body)}`).join(" | ")} taken ${batch.consumedMessages.join(",")}`,
      );
      try {
        this.ledger.committed(batch);
      } catch (error) {
        this.break(`the ledger threw: ${describe(error)}`);
      }
    };
    this.disk.onPosted = (id, message): void => this.ledger.posted(id, message);
    this.disk.rates = { ...toRates(this.chance), ...toReadRates(new Random(seed ^ 0x4ead5)) };
    this.limits = {
      slots: this.chance.pick([1, 2, 4, 10]),
      perAgent: this.chance.pick([1, 2, 3]),
      liveExecutions: this.chance.pick([2, 100, 100]),
    };
    this.pollMs = this.chance.pick([100, 300, 1000]);
    this.world.onTask = (task, now): void => this.#onTask(task, now);
    this.user = new SimulatedClient(this);
  }

  result(): SimulationResult {
    const { seed, coverage, failure } = this;
    for (const [kind, times] of this.disk.counts) coverage.count(`fault ${kind}`, times);
    for (const [kind, times] of this.agents.counts) coverage.count(`agent ${kind}`, times);
    return { seed, coverage, failure, trace: this.#hash.digest("hex"), tasks: this.#tasks, log: this.#log };
  }

  count(trouble: Trouble): void {
    if (trouble === "clock went back") this.ledger.isClockSteady = false;
    this.coverage.count(`trouble ${trouble}`);
  }

  /** Reports a broken claim. The run stops at the next task. */
  break(claim: string): void {
    this.note(`BROKEN ${claim}`);
    this.failure ??= claim;
  }

  async run(): Promise<void> {
    this.openOwner();
    const end = this.profile === "storm" ? 12_000 : this.chance.pick([500, 3000, 12_000]);
    this.user.plan(end);
    this.#planLosses(end);
    await this.until(() => this.world.elapsedMs >= end && this.owner !== undefined, end + 120_000);
  }

  openOwner(): void {
    const environment = this.world.process(`p${++this.#processes}`);
    const mine = this.#open(environment, "own");
    this.owner = mine;
  }

  /** Opens a second process: one that only posts, or one that tries to own the store. */
  openPoster(mode: "own" | "post"): void {
    if (this.#lockedBy !== undefined) this.poster = this.#open(this.world.process(`q${++this.#processes}`), mode);
  }

  crash(machine: Machine): void {
    this.note(`crash ${machine.environment.name}`);
    machine.environment.crash();
    if (this.#lockedBy === machine.environment) this.#lockedBy = undefined;
    if (this.owner === machine) this.owner = undefined;
    if (this.poster === machine) this.poster = undefined;
    this.#promote();
    if (this.chance.percent(5)) this.#damage();
    if (this.chance.percent(15)) this.#redeploy();
  }

  /** Uses its own random generator, so that other seeds stay the same. */
  #planLosses(endMs: number): void {
    const chance = new Random(this.seed ^ 0x1ea5e);
    if (!chance.percent(15)) return;
    for (let losses = chance.between(1, 4); losses > 0; losses--)
      this.world.schedule(chance.below(endMs), "lease", () => this.#loseOwnership());
  }

  /** The lease of the owner expires. The process lives on, and the first process that tries becomes the next owner. */
  #loseOwnership(): void {
    if (this.#lockedBy === undefined) return;
    this.note(`lost by ${this.#lockedBy.name}`);
    this.count("ownership lost");
    this.isLate = true;
    this.#lockedBy = undefined;
    this.#onLost?.();
  }

  /** The second process takes over at its next poll. */
  #promote(): void {
    if (this.owner !== undefined || this.poster === undefined || this.poster.mode !== "own") return;
    this.owner = this.poster;
    this.poster = undefined;
    this.count("owner taken over");
    // The fault that ended the owner may have hit the store as well.
    if (this.disk.rates !== NO_FAULTS && this.chance.percent(50))
      this.disk.fail(this.world.elapsedMs, this.chance.between(10, 1500));
  }

  /** The next process brings another version of the sub-workflows. */
  #redeploy(): void {
    this.#deployed = 1 - this.#deployed;
    this.count("sub-workflow redeployed");
  }

  /** Truncates or changes a journal that is not in memory. */
  #damage(): void {
    if (this.disk.rates === NO_FAULTS || this.owner !== undefined || this.poster !== undefined) return;
    const open = [...this.ledger.accounts.values()].filter(({ state }) => !isTerminalStatus(state.baseStatus));
    if (open.length === 0) return;
    const { id } = this.chance.pick(open);
    this.disk.damage(id, this.chance.pick(["journal cut", "journal changed"]));
    this.note(`damage ${id}`);
  }

  #open(environment: SimulatedEnvironment, mode: "own" | "post"): Machine {
    this.note(`open ${environment.name} ${mode}`);
    const agents = Object.fromEntries(this.#agentNames.map((name) => [name, this.#agent(environment)]));
    const opening = Engine.open({
      store: new FaultyStore(this.disk, environment),
      environment,
      mode,
      ownership: {
        tryOwn: async (onLost) => {
          if (!environment.isAlive || (this.#lockedBy !== undefined && this.#lockedBy !== environment)) return false;
          this.#lockedBy = environment;
          this.#onLost = onLost;
          return true;
        },
        release: () => {
          if (this.#lockedBy === environment) this.#lockedBy = undefined;
        },
      },
      workflows: [...this.workflows.main, ...this.workflows.sub[this.#deployed]!],
      agents,
      limits: this.limits,
      pollMs: this.pollMs,
      logger: SILENT_LOGGER,
      onFault: (error, id) =>
        this.note(
          `  fault ${id ?? ""} ${error instanceof StoreFault ? error.message : ((error as Error).stack ?? "")}`,
        ),
    });
    const machine: Machine = {
      environment,
      mode,
      engine: undefined,
      isClosing: false,
      opening: Promise.resolve(undefined),
    };
    const opened = opening.then(
      (engine) => (machine.engine = engine),
      (error: unknown) => this.#notOpened(machine, error),
    );
    return Object.assign(machine, { opening: opened });
  }

  /** Finally registers the missing agents. */
  get #agentNames(): readonly string[] {
    return this.agents.isCalm ? [...AGENTS, UNKNOWN_AGENT] : AGENTS;
  }

  registerAll(): void {
    for (const name of this.#agentNames) this.owner?.engine?.agent(name, this.#agent(this.owner.environment));
  }

  #agent(environment: SimulatedEnvironment): AgentFunction {
    return (_, context) => this.agents.run(environment, context, this.ledger);
  }

  /** An engine that could not open releases everything; the process is started again. */
  #notOpened(machine: Machine, error: unknown): undefined {
    this.note(`  not opened: ${(error as Error).message}`);
    if (this.#lockedBy === machine.environment) this.break("an engine that could not open still owns the store");
    if (machine.environment.hasAlarm) this.break("an engine that could not open left an alarm behind");
    machine.environment.crash();
    if (this.owner === machine) {
      this.owner = undefined;
      this.world.schedule(500, "open again", () => this.owner ?? this.openOwner());
    }
    if (this.poster === machine) this.poster = undefined;
  }

  async until(isOver: () => boolean, withinMs: number): Promise<boolean> {
    const end = this.world.elapsedMs + withinMs;
    while (!isOver()) {
      if (this.failure !== undefined) throw new ClaimBroken(this.failure);
      if (this.world.elapsedMs > end) return false;
      if (await this.world.step()) this.#observe();
      else {
        await quiet();
        return isOver();
      }
    }
    return true;
  }

  #onTask(task: Task, now: number): void {
    this.#hash.update(`${now} ${task.label}`);
    this.note(`${now % 10_000_000} ${task.label}`);
    if (++this.#tasks > TASKS_MAX) this.failure ??= `more than ${TASKS_MAX} tasks: something goes round for ever`;
  }

  note(line: string): void {
    if (this.#isLogged) this.#log.push(line);
  }

  /** Z2. */
  #observe(): void {
    for (const machine of [this.owner, this.poster])
      if (machine?.engine?.isOwner === false && inspectEngine(machine.engine).liveCount > 0)
        this.break(`Z2 ${machine.environment.name} does not own the store, and has executions in memory`);
    const { engine, isClosing } = this.owner ?? {};
    if (engine === undefined || isClosing === true) return;
    const executions = inspectEngine(engine);
    let slots = 0;
    let room = 0;
    for (const live of executions.all()) {
      const underWay = attemptsInUse(live);
      for (const { step } of attemptsRunning(live))
        room += compiledStep(live.state, step).definition.resources?.["room"] ?? 0;
      slots += underWay.length + (live.turn?.grants.size ?? 0);
      slots += live.deliveries.all().filter(({ happening }) => happening.kind === "granted").length;
      this.#observeAsked(live.id, live.state);
      if (live.turnStage !== "idle" || this.#seqSeen.get(live.id) === live.state.seq) continue;
      this.#seqSeen.set(live.id, live.state.seq);
      const account = this.ledger.accounts.get(live.id);
      if (account === undefined) this.break(`Z2 ${live.id} is idle, and nothing of it is durable`);
      else if (stateImage(account.state) !== stateImage(live.state))
        this.break(
          `Z2 the live state of ${live.id} is not what its journal says\n${stateImage(account.state)}\n${stateImage(live.state)}`,
        );
    }
    if (room > ROOM) this.break(`Z2 ${room} of the room are in use, and there are ${ROOM}`);
    const { capacityInUse, usedSlots } = inspectAdmission(engine);
    if (slots === 0 && capacityInUse !== 0)
      this.break(`Z2 ${capacityInUse} of capacities are held, and nothing is under way`);
    if (usedSlots !== slots) this.break(`Z2 ${usedSlots} slots are in use for ${slots} attempts`);
  }

  #observeAsked(id: ExecutionId, state: Parameters<typeof stateImage>[0]): void {
    const account = this.ledger.accounts.get(id);
    if (account === undefined) return;
    const asked = new Set<number>();
    if (state.queuedCount > 0)
      for (let step = 0; step < stepCount(state); step++) if (stepStatus(state, step) === "queued") asked.add(step);
    const before = this.#askedBefore.get(id) ?? asked;
    if (state.hold !== undefined && asked.size === 0)
      for (const step of before)
        if (stepStatus(state, step) === "ready" || stepStatus(state, step) === "retrying")
          this.coverage.count(`step queued admission withdrawn ${stepStatus(state, step)}`);
    account.askedAt.set(state.seq, asked);
    this.#askedBefore.set(id, asked);
  }
}

function kindsIn(body: string | undefined): string {
  return body === undefined
    ? "-"
    : body
        .split("\n")
        .map((line) => {
          const { kind, step, epoch } = JSON.parse(line) as { kind: string; step?: number; epoch?: number };
          return `${kind}${step === undefined ? "" : ` ${step}`}${epoch === undefined ? "" : `.${epoch}`}`;
        })
        .join(", ");
}

/** Most seeds have only some kinds of fault, so that each kind occurs alone and combined. */
function toRates(chance: Random): Omit<FaultRates, "readOutage" | "misreads"> {
  const rate = (most: number): number => (chance.percent(45) ? chance.between(1, most) : 0);
  return {
    refused: rate(25),
    answeredWrongly: rate(25),
    late: rate(15),
    slow: rate(30),
    reads: rate(20),
    posts: rate(40),
    outage: chance.percent(20) ? 2 : 0,
  };
}

/** Uses its own random generator, so that other seeds stay the same. */
function toReadRates(chance: Random): Pick<FaultRates, "readOutage" | "misreads"> {
  const readOutage = chance.percent(15) ? chance.between(1, 4) : 0;
  return { readOutage, misreads: chance.percent(15) ? chance.between(5, 40) : 0 };
}
