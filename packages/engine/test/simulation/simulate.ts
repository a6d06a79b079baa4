// One seed, one run of the real kernel and engine: workflows, a user, a store and processes that fail, and the claims that
// hold all the same.
//
//   Z1. While faults happen, everything that was acknowledged is durable (I1 to I6 of the ledger, and the user's claims).
//   Z2. At every quiet moment a live execution is what its journal says, and the slots in use are the attempts under way.
//   Z3. When faults stop, everything ends: signals are sent and what is held is resumed, and nothing may be left over.

import { createHash, type Hash } from "node:crypto";
import { attemptsUnderWay, isTerminalStatus, statusOf, stepCount, type ExecutionId } from "@segno/kernel";
import { Engine } from "../../src/engine.ts";
import { MemoryStore } from "../../src/stores/memory/memory-store.ts";
import type { AgentFunction } from "../../src/runners/agent.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { Chance } from "../../src/testing/chance.ts";
import { Disk, FaultyStore, NO_FAULTS, type FaultRates } from "../../src/testing/faulty-store.ts";
import { quiet, SimulatedWorld, type SimulatedEnvironment, type Task } from "../../src/testing/simulated-environment.ts";
import { Agents } from "./agents.ts";
import { Coverage, type Trouble } from "./coverage.ts";
import { Ledger } from "./ledger.ts";
import { stateImage } from "./state-image.ts";
import { User } from "./user.ts";
import { AGENTS, makeWorkflows, SIGNALS, UNKNOWN_AGENT, type Workflows } from "./workflows.ts";

export interface SimulationResult {
  readonly seed: number;
  readonly trace: string;
  readonly tasks: number;
  readonly coverage: Coverage;
  /** The claim that did not hold, if one did not. */
  readonly failure: string | undefined;
  readonly log: readonly string[];
}

export interface SimulationOptions {
  /** Keep a line for each task. */
  readonly isLogged?: boolean;
}

/** A process, with the engine that is open in it. */
export interface Machine {
  readonly environment: SimulatedEnvironment;
  readonly mode: "own" | "post";
  readonly opening: Promise<Engine | undefined>;
  engine: Engine | undefined;
  isClosing: boolean;
}

class ClaimBroken extends Error {}

/** What the user is like: an ordinary one, one whose machine keeps dying, one who cannot decide. */
const PROFILES = ["plain", "plain", "plain", "storm", "fickle", "repeating"] as const;

export type Profile = (typeof PROFILES)[number];

const TASKS_MAX = 60_000;

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const simulation = new Simulation(seed, options.isLogged === true);
  const onRejection = (error: unknown): void => simulation.break(`a promise was rejected and nobody heard: ${describe(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    await simulation.run();
  } catch (error) {
    if (!(error instanceof ClaimBroken)) simulation.failure ??= `the simulation threw: ${describe(error)}`;
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return simulation.result();
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
}

export class Simulation {
  readonly seed: number;
  readonly world: SimulatedWorld;
  readonly chance: Chance;
  readonly coverage: Coverage = new Coverage();
  readonly workflows: Workflows;
  readonly agents: Agents = new Agents();
  readonly disk: Disk = new Disk(new MemoryStore());
  readonly ledger: Ledger;
  readonly limits: { readonly slots: number; readonly perAgent: number; readonly liveExecutions: number };
  readonly pollMs: number;
  failure: string | undefined;
  owner: Machine | undefined;
  poster: Machine | undefined;
  readonly #hash: Hash = createHash("sha256");
  readonly #log: string[] = [];
  readonly #isLogged: boolean;
  readonly profile: Profile;
  readonly #user: User;
  readonly #seqSeen = new Map<ExecutionId, number>();
  readonly #askedBefore = new Map<ExecutionId, ReadonlySet<number>>();
  #tasks = 0;
  #processes = 0;
  #deployed = 0;
  #lockedBy: SimulatedEnvironment | undefined;

  constructor(seed: number, isLogged: boolean) {
    this.seed = seed;
    this.#isLogged = isLogged;
    this.world = new SimulatedWorld(seed);
    this.chance = new Chance(seed ^ 0x5e6d0);
    this.profile = this.chance.of(PROFILES);
    this.workflows = makeWorkflows(this.chance);
    this.agents.isSlow = this.profile === "storm";
    const fail = (claim: string): void => this.break(claim);
    this.ledger = new Ledger(this.workflows.programs, this.coverage, fail, (hash) => this.#trace(hash));
    this.disk.onCommitted = (batch): void => {
      this.#note(`  durable ${batch.appends.map(({ execution, block }) => `${execution}: ${kindsIn(block?.body)}`).join(" | ")} taken ${batch.taken.join(",")}`);
      try {
        this.ledger.committed(batch);
      } catch (error) {
        this.break(`the ledger threw: ${describe(error)}`);
      }
    };
    this.disk.onPosted = (id, message): void => this.ledger.posted(id, message);
    this.disk.rates = ratesOf(this.chance);
    this.limits = {
      slots: this.chance.of([1, 2, 4, 10]),
      perAgent: this.chance.of([1, 2, 3]),
      liveExecutions: this.chance.of([2, 100, 100]),
    };
    this.pollMs = this.chance.of([100, 300, 1000]);
    this.world.onTask = (task, now): void => this.#onTask(task, now);
    this.#user = new User(this);
  }

  result(): SimulationResult {
    const { seed, coverage, failure } = this;
    for (const [kind, times] of this.disk.counts) coverage.count(`fault ${kind}`, times);
    for (const [kind, times] of this.agents.counts) coverage.count(`agent ${kind}`, times);
    return { seed, coverage, failure, trace: this.#hash.digest("hex"), tasks: this.#tasks, log: this.#log };
  }

  note(line: string): void {
    this.#note(line);
  }

  count(trouble: Trouble): void {
    if (trouble === "clock went back") this.ledger.isClockSteady = false;
    this.coverage.count(`trouble ${trouble}`);
  }

  /** A claim does not hold. The run stops at the next task. */
  break(claim: string): void {
    this.#note(`BROKEN ${claim}`);
    this.failure ??= claim;
  }

  async run(): Promise<void> {
    this.openOwner();
    const end = this.profile === "storm" ? 12_000 : this.chance.of([500, 3000, 12_000]);
    this.#user.plan(end);
    await this.#until(() => this.world.elapsedMs >= end && this.owner !== undefined, end + 120_000);
    await this.#calmDown();
    await this.#finish();
    if (this.chance.percent(40)) await this.#retryFailed();
    await this.#checkEnd();
  }

  openOwner(): void {
    const environment = this.world.process(`p${++this.#processes}`);
    const mine = this.#open(environment, "own");
    this.owner = mine;
  }

  /** A second process: one that only posts, or one that would own the store if it could. */
  openPoster(mode: "own" | "post"): void {
    if (this.#lockedBy !== undefined) this.poster = this.#open(this.world.process(`q${++this.#processes}`), mode);
  }

  crash(machine: Machine): void {
    this.#note(`crash ${machine.environment.name}`);
    machine.environment.crash();
    if (this.#lockedBy === machine.environment) this.#lockedBy = undefined;
    if (this.owner === machine) this.owner = undefined;
    if (this.poster === machine) this.poster = undefined;
    this.#promote();
    if (this.chance.percent(5)) this.#damage();
    if (this.chance.percent(15)) this.#redeploy();
  }

  /** The second process takes over as soon as it looks. */
  #promote(): void {
    if (this.owner !== undefined || this.poster === undefined || this.poster.mode !== "own") return;
    this.owner = this.poster;
    this.poster = undefined;
    this.count("owner taken over");
  }

  /** Sub-workflows come in another version with the next process. */
  #redeploy(): void {
    this.#deployed = 1 - this.#deployed;
    this.count("sub-workflow redeployed");
  }

  /** While nobody has it in memory, a journal loses its end, or is changed. */
  #damage(): void {
    if (this.disk.rates === NO_FAULTS || this.owner !== undefined || this.poster !== undefined) return;
    const open = [...this.ledger.accounts.values()].filter(({ state }) => !isTerminalStatus(state.base));
    if (open.length === 0) return;
    const { id } = this.chance.of(open);
    this.disk.damage(id, this.chance.of(["journal cut", "journal changed"]));
    this.#note(`damage ${id}`);
  }

  #open(environment: SimulatedEnvironment, mode: "own" | "post"): Machine {
    this.#note(`open ${environment.name} ${mode}`);
    const agents = Object.fromEntries(this.#agentNames.map((name) => [name, this.#agent(environment)]));
    const opening = Engine.open({
      store: new FaultyStore(this.disk, environment),
      environment,
      mode,
      ownership: {
        tryOwn: () => {
          if (!environment.isAlive || (this.#lockedBy !== undefined && this.#lockedBy !== environment)) return false;
          this.#lockedBy = environment;
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
      onFault: (error, id) => this.#note(`  fault ${id ?? ""} ${error instanceof StoreFault ? error.message : ((error as Error).stack ?? "")}`),
    });
    const machine: Machine = { environment, mode, engine: undefined, isClosing: false, opening: Promise.resolve(undefined) };
    const opened = opening.then(
      (engine) => (machine.engine = engine),
      (error: unknown) => this.#notOpened(machine, error),
    );
    return Object.assign(machine, { opening: opened });
  }

  /** At last somebody registers what was missing. */
  get #agentNames(): readonly string[] {
    return this.agents.isCalm ? [...AGENTS, UNKNOWN_AGENT] : AGENTS;
  }

  #agent(environment: SimulatedEnvironment): AgentFunction {
    return (_, context) =>
      this.agents.run(environment, context, (run) =>
        this.ledger.begun(run, context.executionId, context.stepId, context.attempt),
      );
  }

  /** An engine that could not open lets go of everything; somebody starts the process again. */
  #notOpened(machine: Machine, error: unknown): undefined {
    this.#note(`  not opened: ${(error as Error).message}`);
    if (this.#lockedBy === machine.environment) this.break("an engine that could not open still owns the store");
    if (machine.environment.hasAlarm) this.break("an engine that could not open left an alarm behind");
    machine.environment.crash();
    if (this.owner === machine) {
      this.owner = undefined;
      this.world.schedule(500, "open again", () => this.owner ?? this.openOwner());
    }
    if (this.poster === machine) this.poster = undefined;
  }

  async #until(isOver: () => boolean, withinMs: number): Promise<boolean> {
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
    this.#trace(`${now} ${task.label}`);
    this.#note(`${now % 10_000_000} ${task.label}`);
    if (++this.#tasks > TASKS_MAX) this.failure ??= `more than ${TASKS_MAX} tasks: something goes round for ever`;
  }

  #trace(line: string): void {
    this.#hash.update(line);
  }

  #note(line: string): void {
    if (this.#isLogged) this.#log.push(line);
  }

  /** Z2. */
  #observe(): void {
    const executions = this.owner?.engine?.internals;
    if (executions === undefined || this.owner?.isClosing === true) return;
    let slots = 0;
    for (const live of executions.all()) {
      slots += attemptsUnderWay(live.state).length + live.inbox.filter(({ happening }) => happening.kind === "granted").length;
      this.#observeAsked(live.id, live.state);
      if (live.activity !== "idle" || this.#seqSeen.get(live.id) === live.state.seq) continue;
      this.#seqSeen.set(live.id, live.state.seq);
      const account = this.ledger.accounts.get(live.id);
      if (account === undefined) this.break(`Z2 ${live.id} is idle, and nothing of it is durable`);
      else if (stateImage(account.state) !== stateImage(live.state))
        this.break(`Z2 the live state of ${live.id} is not what its journal says\n${stateImage(account.state)}\n${stateImage(live.state)}`);
    }
    if (executions.slotsUsed !== slots) this.break(`Z2 ${executions.slotsUsed} slots are in use for ${slots} attempts`);
  }

  #observeAsked(id: ExecutionId, state: Parameters<typeof stateImage>[0]): void {
    const account = this.ledger.accounts.get(id);
    if (account === undefined) return;
    const asked = new Set<number>();
    if (state.askedCount > 0)
      for (let step = 0; step < stepCount(state); step++) if (statusOf(state, step) === "queued") asked.add(step);
    const before = this.#askedBefore.get(id) ?? asked;
    if (state.hold !== undefined && asked.size === 0)
      for (const step of before)
        if (statusOf(state, step) === "ready" || statusOf(state, step) === "retrying")
          this.coverage.count(`step queued admission withdrawn ${statusOf(state, step)}`);
    account.askedAt.set(state.seq, asked);
    this.#askedBefore.set(id, asked);
  }

  /** Faults stop; agents behave; the user goes home. */
  async #calmDown(): Promise<void> {
    this.#note("calm");
    this.disk.rates = NO_FAULTS;
    this.agents.isCalm = true;
    if (this.poster !== undefined) this.crash(this.poster);
    await this.#until(() => this.owner?.engine?.isOwner === true && !this.owner.isClosing, 60_000);
    for (const name of this.#agentNames) this.owner?.engine?.agent(name, this.#agent(this.owner.environment));
    if (this.owner?.engine === undefined || this.owner.isClosing) this.break("Z3 the engine does not open although nothing is wrong any more");
  }

  #unended(): ExecutionId[] {
    return [...this.ledger.accounts.values()]
      .filter(({ id, state }) => !isTerminalStatus(state.base) && !this.disk.isDamaged(id))
      .map(({ id }) => id);
  }

  /** What is for a damaged execution stays posted. */
  #untaken(): readonly number[] {
    return this.ledger.untaken.filter(({ execution }) => !this.disk.isDamaged(execution)).map(({ id }) => id);
  }

  #isDone(): boolean {
    if (this.#unended().length > 0 || this.#untaken().length > 0) return false;
    return this.owner?.engine?.internals.liveCount === 0 && this.#user.isServed;
  }

  /** Z3. */
  async #finish(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      const isOver = await this.#until(() => this.#isDone(), 8000);
      if (isOver) return;
      for (const id of this.#unended()) await this.#nudge(id, round);
      // Undoing is never stopped, so one that hangs without a deadline ends with its process only.
      if (round === 6 || round === 8) await this.#restart();
    }
    const left = this.#unended().map((id) => `${id} ${stateImage(this.ledger.accounts.get(id)!.state)}`);
    this.#user.checkSettled();
    const messages = this.#untaken().join(", ");
    this.break(`Z3 not ended although faults have stopped: ${left.join("\n")}; messages left: ${messages}`);
  }

  /** STATE-2: what failed gets another round, now that nothing goes wrong. */
  async #retryFailed(): Promise<void> {
    const failed = [...this.ledger.accounts.values()].filter(({ state }) => state.base === "failed");
    for (const { id } of failed) {
      const handle = await this.#patiently(this.owner!.engine!.get(id));
      await this.#patiently(handle?.retry() ?? Promise.resolve());
    }
    await this.#finish();
  }

  async #restart(): Promise<void> {
    this.crash(this.owner!);
    this.openOwner();
    await this.#until(() => this.owner?.engine?.isOwner === true, 10_000);
  }

  async #nudge(id: ExecutionId, round: number): Promise<void> {
    const { state } = this.ledger.accounts.get(id)!;
    const engine = this.owner!.engine!;
    const handle = await this.#patiently(engine.get(id));
    if (handle === undefined) return;
    // What hangs without a deadline, or needs an agent that nobody has, does not end by itself.
    const isHopeless = round >= 3 && attemptsUnderWay(state).length > 0;
    if (isHopeless) await this.#patiently(handle.cancel({ reason: "hopeless" }));
    if (state.hold !== undefined) await this.#patiently(handle.resume());
    for (const name of SIGNALS) await this.#patiently(handle.signal(name, round));
  }

  /** Lets the world go on until a promise has settled. */
  async #patiently<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    let isSettled = false;
    let value: Value | undefined;
    const settled = promise.then(
      (given) => {
        value = given;
        isSettled = true;
      },
      (error: unknown) => {
        this.#note(`  refused: ${(error as Error).message}`);
        isSettled = true;
      },
    );
    if (!(await this.#until(() => isSettled, 10_000))) this.break("Z3 a wish is not answered although nothing is wrong any more");
    if (this.failure !== undefined) throw new ClaimBroken(this.failure);
    await settled;
    return value;
  }

  /** Nothing is left over: no slot, no timer, no promise, no message; every journal verifies. */
  async #checkEnd(): Promise<void> {
    const { engine, environment } = this.owner!;
    const executions = engine!.internals;
    await this.#until(() => false, 2500);
    this.#user.checkSettled();
    if (executions.slotsUsed !== 0) this.break(`Z3 ${executions.slotsUsed} slots are in use at the end`);
    if (executions.liveCount !== 0) this.break(`Z3 ${executions.liveCount} executions are in memory at the end`);
    // The poll and the sweep.
    if (!(await this.#until(() => executions.timers === 2, 3000))) this.break(`Z3 ${executions.timers} timers are set at the end, not 2`);
    for (const { id } of this.ledger.accounts.values()) {
      const verified = await this.#patiently(engine!.verify(id));
      if (verified?.ok !== !this.disk.isDamaged(id)) this.break(`Z3 verifying ${id} says ${JSON.stringify(verified)}`);
    }
    await this.#patiently(engine!.close());
    // An agent that was given up goes on for itself.
    const left = this.world.tasksOf(environment).filter(({ label }) => !label.includes(" run "));
    if (environment.hasAlarm || left.length > 0) this.break("Z3 a closed engine left something behind");
    if (this.failure !== undefined) throw new ClaimBroken(this.failure);
  }
}

function kindsIn(body: string | undefined): string {
  return body === undefined
    ? "-"
    : body.split("\n").map((line) => {
        const { kind, step, epoch } = JSON.parse(line) as { kind: string; step?: number; epoch?: number };
        return `${kind}${step === undefined ? "" : ` ${step}`}${epoch === undefined ? "" : `.${epoch}`}`;
      }).join(", ");
}

/** Most seeds have only some kinds of fault, so that each kind is met alone and in company. */
function ratesOf(chance: Chance): FaultRates {
  const rate = (most: number): number => (chance.percent(45) ? chance.between(1, most) : 0);
  return {
    refused: rate(25),
    answeredWrongly: rate(25),
    slow: rate(30),
    reads: rate(20),
    posts: rate(40),
    outage: chance.percent(20) ? 2 : 0,
  };
}
