// The executions of this process: which ones are in memory, how they come in and how they leave.
//
//   X1. An execution is in memory at most once, and only while this process owns the store.
//   X2. When the store fails, the executions of that commit stop until they are healed (the healer says how).
//   X3. A journal that cannot be read, and an execution that breaks an invariant, are set aside; the others go on
//       (JOURNAL-6).
//   X4. Whoever waits for an answer gets one: what is let go refuses what it had not answered.

import {
  attemptsUnderWay,
  createState,
  SegnoError,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Program,
  type State,
  type StepIndex,
  type Timer,
  type World,
} from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { Bus } from "./events/bus.ts";
import { Healer } from "./recovery/healer.ts";
import { Journals, watchEvent } from "./recovery/journals.ts";
import { CHAIN_START } from "./recovery/read-journal.ts";
import type { Registry } from "./registry.ts";
import type { Runner } from "./runners/runner.ts";
import { Scheduler, type SchedulerLimits } from "./scheduler/scheduler.ts";
import type { MessageId, Store } from "./store/store.ts";
import type { StoreAdmin } from "./store/store-admin.ts";
import { StoreFault } from "./store/store-fault.ts";
import { NoStore } from "./stores/none/no-store.ts";
import { Committer } from "./turn/committer.ts";
import { Dispatcher } from "./turn/dispatcher.ts";
import { LiveExecution, type Delivery } from "./turn/live-execution.ts";
import { StepAttempt } from "./turn/step-attempt.ts";
import { TimerWheel, type WheelEntry } from "./turn/timer-wheel.ts";
import { TurnLoop, UNREGISTERED, type TimerItem } from "./turn/turn-loop.ts";

export interface ExecutionsOptions {
  readonly store: Store & Partial<StoreAdmin>;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly runner: Runner;
  readonly bus: Bus;
  readonly limits: SchedulerLimits;
  readonly check: World["check"];
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  /** Messages that an execution had in hand when it was let go: they are still posted. */
  readonly putBack: (messages: readonly MessageId[]) => void;
  /** One execution less is in memory. */
  readonly left: () => void;
}

const AGAIN_MS = 200;
/** Without a store, so many ends are kept. */
const REMEMBERED_MAX = 1000;

type WheelItem = TimerItem | StepAttempt | { readonly call: () => void };

/** What became of bringing an execution into memory. */
export type Arrival = "here" | "unknown" | "unreadable";

/** Told the state in which an execution ended; nothing when it left memory otherwise. */
export type EndListener = (state: State | undefined) => void;

export class Executions {
  readonly #options: ExecutionsOptions;
  readonly journals: Journals;
  readonly #live = new Map<ExecutionId, LiveExecution>();
  readonly #loading = new Map<ExecutionId, Promise<Arrival>>();
  readonly #remembered = new Map<ExecutionId, State>();
  readonly #wakes = new Map<ExecutionId, WheelEntry<WheelItem>>();
  readonly #endListeners = new Map<ExecutionId, Set<EndListener>>();
  readonly #sleepers = new Set<() => void>();
  readonly #scheduler: Scheduler<LiveExecution>;
  readonly #wheel: TimerWheel<WheelItem>;
  readonly #committer: Committer;
  readonly #loop: TurnLoop;
  readonly #dispatcher: Dispatcher;
  readonly #healer: Healer;
  #isClosed = false;

  constructor(options: ExecutionsOptions) {
    const { store, environment, registry, limits } = options;
    this.#options = options;
    this.journals = new Journals(options);
    this.#committer = new Committer(store, environment, () => options.runner.isBusy);
    this.#scheduler = new Scheduler(limits, (execution, step) => this.#granted(execution, step as StepIndex));
    this.#wheel = new TimerWheel<WheelItem>(environment, (item) => this.#fire(item));
    this.#dispatcher = new Dispatcher({
      ...options,
      wheel: this.#wheel as unknown as TimerWheel<StepAttempt>,
      post: (execution, happening) => this.#loop.post(execution, happening),
      sleep: (ms) => this.sleep(ms),
      ail: (execution, error) => this.#ail(execution, error),
    });
    this.#loop = this.#newLoop(this.#dispatcher);
    this.#healer = new Healer({
      store,
      registry,
      loop: this.#loop,
      dispatcher: this.#dispatcher,
      fold: (loaded) => this.journals.fold(loaded),
      drop: (execution, reason) => this.#drop(execution, reason),
      after: (ms, call) => this.after(ms, call),
    });
  }

  #newLoop(dispatcher: Dispatcher): TurnLoop {
    const { environment, registry, store } = this.#options;
    return new TurnLoop({
      environment,
      committer: this.#committer,
      scheduler: this.#scheduler,
      wheel: this.#wheel as unknown as TimerWheel<TimerItem>,
      isDurable: !(store instanceof NoStore),
      knows: (execution, step) => dispatcher.knows(execution, step),
      run: (execution, effect) => dispatcher.run(execution, effect),
      abort: (execution, effect) => dispatcher.abort(execution, effect),
      postpone: (...deadline) => dispatcher.postpone(...deadline),
      resolve: (execution, effect) => dispatcher.resolve(execution, effect),
      loadValues: (execution, hashes) => void this.#loadValues(execution, hashes),
      definition: (hash) => ({ hash, body: registry.text(hash)! }),
      publish: (execution, events) => this.#publish(execution, events),
      ail: (execution, error) => this.#ail(execution, error),
      ended: (execution) => this.#leave(execution, execution.state),
    });
  }

  /** What is wrong with the store, if anything is. */
  get trouble(): unknown {
    return this.#healer.trouble;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  get slotsUsed(): number {
    return this.#scheduler.used;
  }

  get timers(): number {
    return this.#wheel.size;
  }

  all(): IterableIterator<LiveExecution> {
    return this.#live.values();
  }

  /** The end of an execution that no store has. */
  remembered(id: ExecutionId): State | undefined {
    return this.#remembered.get(id);
  }

  /** Something new can run: executions that were parked for the want of it go on (FAIL-9). */
  agentsChanged(): void {
    for (const execution of this.#live.values()) {
      const { hold } = execution.state;
      if (hold?.kind !== "parked" || hold.step === undefined || !hold.reason.startsWith(UNREGISTERED)) continue;
      const isKnown = this.#dispatcher.knows(execution, hold.step);
      if (isKnown) this.#loop.post(execution, { kind: "resume", at: this.#options.environment.now() });
    }
  }

  live(id: ExecutionId): LiveExecution | undefined {
    return this.#live.get(id);
  }

  /** Takes in an execution that is only an intention yet. */
  create(id: ExecutionId, definition: ContentHash, program: Program, priority: number): LiveExecution {
    const { check, registry } = this.#options;
    const state = createState(program, registry.library);
    const execution = new LiveExecution({ id, definition, state, epoch: 1, head: CHAIN_START, priority, check });
    this.#enter(execution);
    return execution;
  }

  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (this.#isClosed) delivery.refuse?.(closed());
    else this.#loop.deliver(execution, delivery);
  }

  /** Calls back later, once; never when it is closed by then. */
  after(ms: number, call: () => void): void {
    if (!this.#isClosed) this.#wheel.set(this.#in(ms), { call });
  }

  /** Resolves later, and at once when everything is closed: whoever wakes looks whether it is. */
  sleep(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
      this.after(ms, wake);
    });
  }

  /** Calls back when an execution that is not in memory is due, unless it comes in before. One such call an execution. */
  wake(id: ExecutionId, inMs: number, call: () => void): void {
    if (this.#isClosed || this.#live.has(id)) return;
    this.#forgetWake(id);
    const fire = (): void => {
      this.#wakes.delete(id);
      call();
    };
    this.#wakes.set(id, this.#wheel.set(this.#in(inMs), { call: fire }));
  }

  onEnd(id: ExecutionId, listener: EndListener): void {
    const listeners = this.#endListeners.get(id) ?? new Set();
    listeners.add(listener);
    this.#endListeners.set(id, listeners);
  }

  /** Brings an execution into memory, so that it goes on. */
  async claim(id: ExecutionId): Promise<Arrival> {
    return this.#live.has(id) ? "here" : (this.#loading.get(id) ?? this.#loadOnce(id, []));
  }

  /** Delivers something, loading the execution for it if need be: one that has ended stays in memory for no one else. */
  async deliverTo(id: ExecutionId, delivery: Delivery): Promise<Arrival> {
    for (;;) {
      const live = this.#live.get(id);
      if (live !== undefined) {
        this.deliver(live, delivery);
        return "here";
      }
      const underWay = this.#loading.get(id);
      if (underWay === undefined) return this.#loadOnce(id, [delivery]);
      // Whatever became of the other load, this one is made by itself if need be.
      await underWay.catch(() => undefined);
    }
  }

  #loadOnce(id: ExecutionId, deliveries: readonly Delivery[]): Promise<Arrival> {
    const loading = this.#load(id, deliveries).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** A message that leads nowhere: it is taken, so that it does not come again. */
  discard(message: MessageId): void {
    this.#committer.commit(undefined, [message], (answer) => {
      if (answer.kind === "durable" || this.#isClosed) return;
      this.#options.report(answer.error, undefined);
      this.#options.putBack([message]);
    });
  }

  /** The durable state of an execution: that in memory when nothing of it is on its way to the store. */
  async stateOf(id: ExecutionId): Promise<State | undefined> {
    const live = this.#live.get(id);
    if (isAtRest(live) || this.#options.store instanceof NoStore) return live?.state ?? this.#remembered.get(id);
    return this.journals.stateOf(id);
  }

  /** Resolves when everything that was decided is durable, or has failed. */
  committed(): Promise<void> {
    return this.#committer.idle();
  }

  /** Stops everything: nothing is delivered, run or written from now on. */
  close(): void {
    this.#isClosed = true;
    for (const execution of this.#live.values()) {
      this.#dispatcher.abandon(execution, "the engine was closed");
      this.#let(execution, closed());
    }
    for (const id of this.#endListeners.keys()) this.#tellEnd(id, undefined);
    this.#wheel.clear();
    for (const wake of this.#sleepers) wake();
  }

  #in(ms: number): ReturnType<Environment["now"]> {
    return (this.#options.environment.now() + ms) as ReturnType<Environment["now"]>;
  }

  #forgetWake(id: ExecutionId): void {
    const entry = this.#wakes.get(id);
    this.#wakes.delete(id);
    if (entry !== undefined) this.#wheel.drop(entry);
  }

  #enter(execution: LiveExecution): void {
    this.#forgetWake(execution.id);
    this.#live.set(execution.id, execution);
  }

  async #load(id: ExecutionId, deliveries: readonly Delivery[]): Promise<Arrival> {
    const loaded = await this.#options.store.load(id);
    if (loaded === undefined || this.#isClosed) return "unknown";
    const state = await this.journals.fold(loaded);
    if (state === undefined || loaded.kind !== "execution") return "unreadable";
    if (this.#isClosed) return "unknown";
    const { projection, epoch } = loaded;
    const { definition, head, priority } = projection;
    const { check } = this.#options;
    const execution = new LiveExecution({ id, definition, state, epoch: epoch + 1, head, priority, check });
    this.#enter(execution);
    this.#loop.adopt(execution);
    // Whatever this process does not run itself went down with the process that ran it (FAIL-9).
    for (const { step, epoch: attempt } of attemptsUnderWay(state))
      execution.inbox.push({ happening: this.#dispatcher.lost(step, attempt, "the process that ran it ended") });
    if (state.base === "pending") execution.inbox.push({ happening: { kind: "begin", at: this.#in(0) } });
    execution.inbox.push(...deliveries);
    this.#loop.resume(execution);
    return "here";
  }

  /** What broke an invariant is set aside even if the store is down at the moment. */
  async #setAsideAtLast(id: ExecutionId, reason: string): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.journals.setAside(id, reason);
      } catch (error) {
        this.#options.report(error, id);
        await this.sleep(AGAIN_MS);
      }
    }
  }

  #granted(execution: LiveExecution, step: StepIndex): void {
    this.#loop.post(execution, { kind: "granted", at: this.#options.environment.now(), step });
  }

  #fire(item: WheelItem): void {
    const at = this.#options.environment.now();
    if ("call" in item) return item.call();
    if (!(item instanceof StepAttempt)) return this.#loop.post(item.execution, { kind: "due", at, timer: item.timer });
    const timer: Timer = { kind: "attempt-deadline", step: item.place, epoch: item.epoch };
    this.#loop.post(item.owner, { kind: "due", at, timer });
  }

  async #loadValues(execution: LiveExecution, hashes: readonly ContentHash[]): Promise<void> {
    try {
      await this.#dispatcher.fetchValues(execution, hashes);
      this.#loop.resume(execution);
    } catch (error) {
      this.#ail(execution, error);
    }
  }

  #publish(execution: LiveExecution, events: readonly Event[]): void {
    if (this.#options.bus.isIdle) return;
    this.#options.bus.publish(events.map((event) => watchEvent(execution.id, execution.state, event)));
  }

  #ail(execution: LiveExecution, error: unknown): void {
    if (execution.activity === "gone") return;
    this.#options.report(error, execution.id);
    if (error instanceof StoreFault) return this.#healer.takeIn(execution, error);
    this.#drop(execution, (error as Error).message);
    void this.#setAsideAtLast(execution.id, (error as Error).message);
  }

  /** It is not ours any more, or broken: what still runs for it is told so and counts for nothing. */
  #drop(execution: LiveExecution, reason: string): void {
    this.#dispatcher.abandon(execution, reason);
    this.#let(execution, new StoreFault("STORE_FENCED", `the execution ${execution.id} was let go: ${reason}`));
  }

  /** Out of memory, before it has ended. */
  #let(execution: LiveExecution, error: SegnoError): void {
    const deliveries = [...(execution.turn?.taken ?? []), ...execution.inbox];
    this.#loop.release(execution);
    this.#leave(execution, undefined);
    for (const { refuse } of deliveries) refuse?.(error);
    this.#options.putBack(deliveries.flatMap(({ message }) => (message === undefined ? [] : [message])));
  }

  #leave(execution: LiveExecution, state: State | undefined): void {
    execution.activity = "gone";
    this.#live.delete(execution.id);
    this.#options.left();
    if (state !== undefined && this.#options.store instanceof NoStore) this.#remember(execution.id, state);
    this.#tellEnd(execution.id, state);
  }

  /** Without a store, the last ends are all there is to ask about. */
  #remember(id: ExecutionId, state: State): void {
    this.#remembered.set(id, state);
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(this.#remembered.keys().next().value!);
  }

  #tellEnd(id: ExecutionId, state: State | undefined): void {
    const listeners = this.#endListeners.get(id);
    this.#endListeners.delete(id);
    for (const listener of listeners ?? []) listener(state);
  }
}

/** Nothing of it is on its way to the store. */
function isAtRest(live: LiveExecution | undefined): boolean {
  return live?.activity === "idle" || live?.activity === "summoned";
}

function closed(): SegnoError {
  return new SegnoError("ENGINE_CLOSED", "the engine was closed before this was done; it may still have happened");
}
