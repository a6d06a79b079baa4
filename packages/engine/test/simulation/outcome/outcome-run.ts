// A planned run with faults: processes that die, a store that fails, a copy of the store that is opened beside it, and
// foreign rows in it. When everything has ended, the journals show the outcome of the plan.

import { SILENT_LOGGER } from "../../../src/testing/silent-logger.ts";
import { SegnoError, type ExecutionId } from "@segno/kernel";
import { Engine } from "../../../src/api/engine.ts";
import { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import { Random } from "../../../src/testing/random.ts";
import { SharedStorage, FaultyStore, NO_FAULTS, type FaultRates } from "../../../src/testing/faulty-store.ts";
import { SimulatedWorld, type SimulatedEnvironment, type Task } from "../../../src/testing/simulated-environment.ts";
import { Actor } from "../exact/actor.ts";
import type { StartDeed } from "../exact/deeds.ts";
import { JournalFacts } from "../exact/journal-facts.ts";
import type { Plan } from "../exact/plan.ts";
import { PLANTED, plantRows } from "./planted-rows.ts";
import { StoreHistory } from "./store-history.ts";

const AGAIN_MS = 800;
/** Faults stop at this time, after all user actions. */
const FAULTS_MS = 700_000;
const ROUND_MS = 200_000;
/** More than any plan needs. */
const ROUNDS_MAX = 60;
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** A store, and the process that is open on it. */
export class Site {
  readonly name: string;
  readonly disk: SharedStorage;
  readonly actor: Actor;
  environment: SimulatedEnvironment | undefined;
  engine: Engine | undefined;

  constructor(name: string, disk: SharedStorage, seed: number) {
    this.name = name;
    this.disk = disk;
    this.actor = new Actor(seed);
  }
}

export class OutcomeRun {
  readonly original: Site;
  copy: Site | undefined;
  readonly hasPlanted: boolean;
  readonly #plan: Plan;
  readonly #world: SimulatedWorld;
  readonly #chance: Random;
  readonly #history = new StoreHistory();
  readonly #journals: JournalFacts;
  readonly #started = new Set<string>();
  #processes = 0;

  constructor(plan: Plan, onTask: (task: Task, now: number) => void) {
    this.#plan = plan;
    this.#world = new SimulatedWorld(plan.seed);
    this.#world.onTask = onTask;
    this.#chance = new Random(plan.seed ^ 0x0c0de);
    this.original = new Site("original", new SharedStorage(new MemoryStore()), plan.seed);
    this.#journals = new JournalFacts(plan, this.#world.clock);
    this.#history.follow(this.original.disk);
    this.hasPlanted = this.#chance.percent(40);
  }

  async run(): Promise<void> {
    if (this.hasPlanted) await plantRows(this.original.disk, this.#world.clock);
    this.original.disk.rates = toRates(this.#chance);
    this.#open(this.original);
    for (const deed of this.#plan.deeds) if (deed.kind === "start") this.#later(deed.atMs, () => this.#start(deed));
    for (let crashes = this.#chance.between(0, 3); crashes > 0; crashes--)
      this.#later(this.#chance.below(600_000), () => this.#crash());
    if (this.#chance.percent(40)) this.#later(this.#chance.below(600_000), () => void this.#openCopy());
    await this.#world.advance(FAULTS_MS);
    this.original.disk.rates = NO_FAULTS;
    for (let round = 0; round < ROUNDS_MAX && (await this.#isUnfinished()); round++) await this.#goOn();
  }

  /** Resumes executions that were parked because an attempt was lost too often (FAIL-9). */
  async #goOn(): Promise<void> {
    for (const site of [this.original, this.copy]) if (site !== undefined) await this.#resumeParked(site);
    await this.#world.advance(ROUND_MS);
  }

  async #isUnfinished(): Promise<boolean> {
    if (this.#started.size < this.#plan.deeds.length) return true;
    for (const site of [this.original, this.copy])
      for (const { id, projection } of (await site?.disk.memory.find({ limit: 100 }))?.executions ?? [])
        if (!ENDED.has(projection.status) && !id.startsWith(PLANTED)) return true;
    return false;
  }

  async #resumeParked({ disk, engine }: Site): Promise<void> {
    const { executions } = await disk.memory.find({ status: ["parked"], limit: 100 });
    for (const { id } of executions) void engine?.get(id).then((handle) => handle.resume());
  }

  factsOf({ disk }: Site): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#journals.of(disk.memory);
  }

  async close(): Promise<void> {
    for (const site of [this.original, this.copy]) site?.environment?.crash();
  }

  #later(inMs: number, work: () => void): void {
    this.#world.schedule(inMs, "user", work);
  }

  #open(site: Site): void {
    const { limits, workflows } = this.#plan;
    const environment = this.#world.process(`${site.name}${++this.#processes}`);
    site.environment = environment;
    Engine.open({
      logger: SILENT_LOGGER,
      store: new FaultyStore(site.disk, environment),
      environment,
      workflows,
      limits,
      breaker: false,
      agents: site.actor.agentsIn(environment),
      onFault: () => undefined,
    }).then(
      (engine) => (site.engine = environment.isAlive ? engine : undefined),
      () => {
        environment.crash();
        this.#later(AGAIN_MS, () => this.#reopen(site));
      },
    );
  }

  /** Opens a process, unless another one is already open on the store. */
  #reopen(site: Site): void {
    if (site.environment?.isAlive !== true) this.#open(site);
  }

  #crash(): void {
    this.original.engine = undefined;
    this.original.environment?.crash();
    this.#later(this.#chance.below(2000), () => this.#reopen(this.original));
  }

  async #openCopy(): Promise<void> {
    this.copy = new Site("copy", await this.#history.copy(), this.#plan.seed);
    this.#open(this.copy);
  }

  /** Repeats a start until the execution exists. */
  #start(deed: StartDeed): void {
    const { id, workflow, input, priority } = deed;
    if (this.#started.has(id)) return;
    const again = (): void => this.#later(AGAIN_MS, () => this.#start(deed));
    const { engine, environment } = this.original;
    if (engine === undefined) return again();
    // A process that dies does not answer.
    environment?.onCrash(again);
    engine.start(workflow, input, { id, priority }).then(
      () => this.#started.add(id),
      (error: unknown) => {
        if (error instanceof SegnoError && error.code === "EXECUTION_EXISTS") this.#started.add(id);
        else again();
      },
    );
  }

  /** Whether an execution is quarantined. */
  async isSetAside(id: string): Promise<boolean> {
    return (await this.original.disk.memory.load(id as ExecutionId))?.kind === "unreadable";
  }
}

function toRates(chance: Random): FaultRates {
  const rate = (most: number): number => (chance.percent(45) ? chance.between(1, most) : 0);
  return {
    refused: rate(15),
    answeredWrongly: rate(15),
    late: rate(10),
    slow: rate(20),
    reads: rate(15),
    posts: 0,
    outage: chance.percent(20) ? 1 : 0,
    readOutage: chance.percent(30) ? chance.between(1, 4) : 0,
    misreads: chance.percent(30) ? chance.between(5, 40) : 0,
  };
}
