// The executions in the memory of this process: how they are created, loaded, evicted and removed.
//
//   X1. An execution is in memory at most once, and only while this process owns the store. If an old take-over of a
//       former owner becomes visible late, this process takes the execution over once more.
//   X2. When a commit fails, its executions stop until the reconciler has recovered them.
//   X3. An execution with an unreadable journal, or one that breaks an invariant, is quarantined; the others continue
//       (JOURNAL-6).
//   X4. Every caller gets an answer: an evicted execution rejects its pending deliveries.

import {
  SegnoError,
  type ContentHash,
  type EpochMs,
  type ExecutionId,
  type Happening,
  type Program,
  type State,
} from "@segno/kernel";
import { Pace } from "../clock/pace.ts";
import type { ExecutionsOptions } from "./executions-options.ts";
import { KeyTaken } from "../idempotency/key-taken.ts";
import { Reconciler } from "./reconciler.ts";
import { hasItsAgent, Loader, type LoadOutcome } from "./loader.ts";
import { closedError } from "./closed-error.ts";
import { Journals } from "./journals.ts";
import { newTurnLoop } from "./new-turn-loop.ts";
import { IdleExecutions, type Evicted, type EvictionOptions } from "./idle-eviction.ts";
import { CHAIN_START } from "../journal/read-journal.ts";
import type { MessageId } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { TerminalStateCache } from "./terminal-state-cache.ts";
import { AdmissionController } from "../turn/admission-controller.ts";
import { Committer } from "../turn/committer.ts";
import { Dispatcher } from "../attempts/dispatcher.ts";
import { fetchValues } from "../attempts/fetch-values.ts";
import { shutDown } from "../attempts/shutdown.ts";
import { EndListeners, type EndListener } from "../turn/end-listeners.ts";
import type { Delivery } from "../turn/delivery.ts";
import { isQuiescent, LiveExecution, type ExecutionHost } from "../turn/live-execution.ts";
import { Timers } from "../clock/timers.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { WakeTime } from "../clock/wake-time.ts";

const AGAIN_MS = 200;
/** The number of executions read per tick of the event loop. */
const READS_AT_ONCE = 64;

export class Executions {
  readonly #options: ExecutionsOptions;
  readonly journals: Journals;
  readonly #live = new Map<ExecutionId, LiveExecution>();
  readonly #idleExecutions: IdleExecutions;
  readonly #terminalStates = new TerminalStateCache();
  readonly #endListeners = new EndListeners();
  readonly #releaseListeners: (() => void)[] = [];
  readonly admission: AdmissionController;
  readonly #time: Timers;
  readonly #committer: Committer;
  readonly #loop: TurnLoop;
  readonly #dispatcher: Dispatcher;
  readonly #reconciler: Reconciler;
  readonly #loader: Loader;
  /** One for all executions. */
  readonly #host: ExecutionHost = {
    post: (execution, happening) => this.#loop.post(execution, happening),
    onFault: (execution, error) => this.#onFault(execution, error),
  };
  /** False where the store keeps nothing: then what is in memory is all that there is. */
  readonly #isStored: boolean;
  #isClosed = false;

  constructor(options: ExecutionsOptions) {
    const { store, environment, registry, limits } = options;
    this.#options = options;
    this.#isStored = store.keepsExecutions !== false;
    this.#idleExecutions = new IdleExecutions(() => environment.now());
    const pace = new Pace(environment, READS_AT_ONCE);
    this.journals = new Journals({ ...options, pace });
    this.#committer = new Committer(store, environment, () => options.attemptRuntime.runner.commitDelayTicks);
    this.#time = new Timers(environment);
    this.admission = new AdmissionController({
      limits,
      options: options.scheduling,
      onGranted: (execution, step) => this.#loop.grant(execution, step),
      clock: environment,
      wakeAt: this.#time.reschedulable(() => this.admission.wake()),
      report: (error) => options.report(error, undefined),
      onResourceLeaked: ({ execution, step }, resource) => options.holdsOn(execution, step, resource),
    });
    this.#dispatcher = new Dispatcher({
      ...options,
      timers: this.#time.monotonicTimers,
      sleep: (ms) => this.sleep(ms),
      admission: this.admission,
    });
    this.#loop = newTurnLoop(options, {
      committer: this.#committer,
      admission: this.admission,
      timers: this.#time,
      dispatcher: this.#dispatcher,
      isDurable: this.#isStored,
      loadValues: (execution, hashes) => void this.#loadValues(execution, hashes),
      onFault: (execution, error) => this.#onFault(execution, error),
      idle: (execution) => this.#idle(execution),
      onEnded: (execution) => this.#removeEnded(execution, execution.state),
    });
    this.#loader = new Loader({
      ...options,
      journals: this.journals,
      loop: this.#loop,
      dispatcher: this.#dispatcher,
      host: this.#host,
      pace,
      enter: (execution) => this.#admit(execution),
      onLoaded: (id) => this.#idleExecutions.add(this.#live.get(id)),
      wakeTime: (id) => this.#time.wakeTime(id),
      isClosed: () => this.#isClosed,
    });
    this.#reconciler = new Reconciler({
      store,
      registry,
      loop: this.#loop,
      dispatcher: this.#dispatcher,
      fold: (loaded) => this.journals.fold(loaded),
      evict: (execution, reason) => this.#shutDown(execution, reason),
      yieldKey: (execution, holder) => this.#evict(execution, new KeyTaken(execution.id, holder)),
      onOwnershipLost: (execution) => this.#onOwnershipLost(execution),
      after: (ms, call) => this.after(ms, call),
    });
  }

  /** The current fault of the store, if there is one. */
  get lastFault(): unknown {
    return this.#reconciler.lastFault;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** True if no turn is running and no commit is pending. */
  get isQuiet(): boolean {
    for (const { activity } of this.#live.values()) if (activity !== "idle") return false;
    return !this.#loader.isPolling;
  }

  get timers(): number {
    return this.#time.size;
  }

  all(): IterableIterator<LiveExecution> {
    return this.#live.values();
  }

  /** The terminal state of an execution without a store. */
  rememberedEnd(id: ExecutionId): State | undefined {
    return this.#terminalStates.get(id);
  }

  /** Called when a new agent or workflow is registered: executions that were parked because of it continue (FAIL-9). */
  agentsChanged(): void {
    const resume: Happening = { kind: "resume", at: this.#options.environment.now() };
    for (const execution of this.#idleExecutions.parkedExecutions())
      if (hasItsAgent(execution, this.#dispatcher)) this.#loop.post(execution, resume);
  }

  get isOwned(): boolean {
    return this.#loader.isOwned;
  }

  /** Called when this process owns the store: executions may be loaded from now on. */
  own(): void {
    this.#loader.own();
  }

  /** Called when ownership of the store is lost: all executions leave memory, and loads in progress are rejected. */
  releaseAll(reason: string): void {
    this.#loader.releaseOwnership();
    for (const execution of this.#live.values()) this.#shutDown(execution, reason);
    this.#time.forgetWakes();
    this.#endListeners.notifyAll();
    for (const listener of this.#releaseListeners) listener();
  }

  /** Calls back each time that the store is not owned any more. */
  onReleased(listener: () => void): void {
    this.#releaseListeners.push(listener);
  }

  live(id: ExecutionId): LiveExecution | undefined {
    return this.#live.get(id);
  }

  /** Adds a new execution whose first commit is still to come. */
  create(id: ExecutionId, definition: ContentHash, program: Program, priority: number): LiveExecution {
    const { check, registry } = this.#options;
    this.#loader.assertOwned();
    const state = registry.newState(program);
    const unwritten = { expectedEpoch: 0, head: CHAIN_START, check, host: this.#host };
    const execution = new LiveExecution({ id, definition, state, priority, ...unwritten });
    if (!this.#isStored) execution.history = this.#terminalStates.newHistory();
    this.#enter(execution);
    return execution;
  }

  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (this.#isClosed) delivery.refuse?.(closedError());
    else this.#loop.deliver(execution, delivery);
  }

  after(ms: number, call: () => void): () => void {
    return this.#time.after(ms, call);
  }

  sleep(ms: number): Promise<void> {
    return this.#time.sleep(ms);
  }

  /** Calls back when an execution that is not in memory is due, unless it is loaded first. An execution has one such timer. */
  wakeAt(id: ExecutionId, time: WakeTime, call: () => void): void {
    if (!this.#live.has(id)) this.#time.wake(id, time, call);
  }

  /** Calls back after a delay, unless the execution is loaded first. */
  wake(id: ExecutionId, inMs: number, call: () => void): void {
    if (!this.#live.has(id)) this.#time.wakeAgain(id, inMs, call);
  }

  /** Whether a timer is set for an execution that is not in memory, at the time that the store says. */
  isAwaited(id: ExecutionId, wakeAt: EpochMs): boolean {
    return this.#time.isAwaited(id, wakeAt);
  }

  /** Returns a function that unsubscribes. */
  onEnd(id: ExecutionId, listener: EndListener): () => void {
    return this.#endListeners.add(id, listener);
  }

  /** Evicts idle executions. An execution that is being loaded stays. */
  evictIdle(options: EvictionOptions): readonly Evicted[] {
    if (!this.#isStored) return [];
    const rested = this.#idleExecutions.takeEvictable(options);
    for (const { execution } of rested) {
      this.#loop.detach(execution);
      this.#remove(execution);
    }
    return rested;
  }

  /** Loads an execution into memory, so that it continues. */
  async claim(id: ExecutionId): Promise<LoadOutcome> {
    if (this.#live.has(id)) return "loaded";
    const outcome = await (this.#loader.underWay(id) ?? this.#loader.load(id, []));
    if (outcome !== "loaded") this.#time.forgetWake(id);
    return outcome;
  }

  /** Delivers a happening, and loads the execution if needed. An ended execution stays in memory only for the delivery. */
  async deliverTo(id: ExecutionId, delivery: Delivery): Promise<LoadOutcome> {
    for (;;) {
      const live = this.#live.get(id);
      if (live !== undefined) {
        this.deliver(live, delivery);
        return "loaded";
      }
      const joined = this.#loader.join(id, delivery);
      if (joined !== undefined) return joined;
      const underWay = this.#loader.underWay(id);
      if (underWay === undefined) return this.#loader.load(id, [delivery]);
      // That load will be rejected, because ownership was lost since it began; the next load will not be.
      await underWay.catch(() => undefined);
    }
  }

  /** Takes a message that has no effect, so that it is not delivered again. */
  discard(message: MessageId): void {
    if (this.#isClosed || !this.isOwned) return this.#options.putBack([message]);
    this.#committer.commit(undefined, [message], (answer) => {
      if (answer.kind === "durable") this.#options.onMessagesTaken([message]);
      if (answer.kind === "durable" || this.#isClosed) return;
      this.#options.report(answer.error, undefined);
      this.#options.putBack([message]);
    });
  }

  /** The durable state of an execution: the state in memory if no commit of it is pending, otherwise the stored one. */
  async readState(id: ExecutionId): Promise<State | undefined> {
    const live = this.#live.get(id);
    if (isQuiescent(live) || !this.#isStored) return live?.state ?? this.#terminalStates.get(id);
    return this.journals.readState(id);
  }

  /** The recent events of an execution without a store. */
  historyHere(id: ExecutionId): LiveExecution["history"] {
    return this.#live.get(id)?.history ?? this.#terminalStates.history(id);
  }

  /** Resolves when every decision is durable or has failed, and no execution is being loaded. */
  async untilCommitted(): Promise<void> {
    await Promise.all([this.#committer.idle(), this.#loader.idle()]);
  }

  /** Cancels running attempts in order, before the executions are closed. */
  shutDownAll(reason: string): Promise<void> {
    this.admission.close();
    return shutDown(this.#live.values(), reason, {
      dispatcher: this.#dispatcher,
      environment: this.#options.environment,
      isQuiet: () => this.isQuiet,
      untilCommitted: () => this.untilCommitted(),
    });
  }

  /** Stops all executions: nothing is delivered, run or written from now on. */
  close(): void {
    this.#isClosed = true;
    for (const execution of this.#live.values()) {
      this.#dispatcher.cancelAttempts(execution, "the engine was closed");
      this.#evict(execution, closedError());
    }
    this.#endListeners.notifyAll();
    for (const listener of this.#releaseListeners) listener();
    this.#time.close();
  }

  #enter(execution: LiveExecution): void {
    this.#time.forgetWake(execution.id);
    this.#live.set(execution.id, execution);
  }

  #admit(execution: LiveExecution): void {
    this.#enter(execution);
    if (this.#live.size > this.#options.limits.liveExecutions) this.#options.onMemoryFull();
  }

  /** An execution that is being loaded stays. */
  #idle(execution: LiveExecution): void {
    const mayWait = execution.attempts.size === 0 || execution.state.hold !== undefined;
    if (mayWait && this.#loader.underWay(execution.id) === undefined) this.#idleExecutions.add(execution);
    this.#options.idle();
  }

  async #loadValues(execution: LiveExecution, hashes: readonly ContentHash[]): Promise<void> {
    try {
      await fetchValues(execution, hashes, this.#options.store);
      this.#loop.resume(execution);
    } catch (error) {
      this.#onFault(execution, error);
    }
  }

  #onFault(execution: LiveExecution, error: unknown): void {
    if (execution.activity === "gone") return;
    this.#options.report(error, execution.id);
    if (error instanceof StoreFault) return this.#reconciler.enqueue(execution, error);
    this.#shutDown(execution, (error as Error).message);
    void this.journals.quarantineWithRetry(execution.id, (error as Error).message, {
      isClosed: () => this.#isClosed,
      sleep: (ms) => this.sleep(ms),
    });
  }

  /** For an execution that another process owns, or that is broken: its attempts are aborted, their outcomes ignored. */
  #shutDown(execution: LiveExecution, reason: string): void {
    this.#dispatcher.cancelAttempts(execution, reason);
    this.#evict(execution, new StoreFault("STORE_FENCED", `the execution ${execution.id} was evicted: ${reason}`));
  }

  /** A process that still owns the store must run every execution in it, so it loads this one under a higher epoch. */
  #onOwnershipLost(execution: LiveExecution): void {
    const { id } = execution;
    this.#shutDown(execution, "this process no longer owns it");
    const claim = (): void => void this.claim(id).catch((error: unknown) => this.#options.report(error, id));
    if (this.isOwned) this.wake(id, AGAIN_MS, claim);
  }

  /** Removes an execution from memory before it has ended. */
  #evict(execution: LiveExecution, error: SegnoError): void {
    const deliveries = [...(execution.turn?.consumed ?? []), ...execution.deliveries.all()];
    this.#loop.detach(execution);
    this.#removeEnded(execution, undefined);
    for (const { refuse } of deliveries) refuse?.(error);
    this.#options.putBack(deliveries.flatMap(({ message }) => (message === undefined ? [] : [message])));
  }

  #remove(execution: LiveExecution): void {
    execution.activity = "gone";
    this.#live.delete(execution.id);
    this.#idleExecutions.remove(execution);
    this.#options.onRemoved();
  }

  #removeEnded(execution: LiveExecution, state: State | undefined): void {
    this.#remove(execution);
    if (state !== undefined && !this.#isStored) this.#terminalStates.add(execution.id, state, execution.history);
    this.#endListeners.notify(execution.id, state);
  }
}
