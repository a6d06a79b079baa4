// The executions of this process: which ones are in memory, how they come in and how they leave.
//
//   X1. An execution is in memory at most once, and only while this process owns the store. What was taken over by somebody
//       who does not own it any more, and was heard late, is taken over once more.
//   X2. When the store fails, the executions of that commit stop until they are healed (the reconciler says how).
//   X3. A journal that cannot be read, and an execution that breaks an invariant, are quarantined; the others go on
//       (JOURNAL-6).
//   X4. Whoever waits for an answer gets one: what is let go refuses what it had not answered.

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
import { Journals } from "./journals.ts";
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
import { publish } from "../turn/publish.ts";
import { EndListeners, type EndListener } from "../turn/end-listeners.ts";
import type { Delivery } from "../turn/delivery.ts";
import { isQuiescent, LiveExecution, type ExecutionHost } from "../turn/live-execution.ts";
import { Timers } from "../clock/timers.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import type { WakeTime } from "../clock/wake-time.ts";

const AGAIN_MS = 200;
/** So many executions are read in one turn of the event loop. */
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
    this.#loop = this.#newLoop(this.#dispatcher);
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

  #newLoop(dispatcher: Dispatcher): TurnLoop {
    const { environment, registry } = this.#options;
    return new TurnLoop({
      environment,
      committer: this.#committer,
      admission: this.admission,
      timers: this.#time,
      journalMax: this.#options.limits.journal,
      isDurable: this.#isStored,
      canRun: (execution, step) => dispatcher.canRun(execution, step),
      attemptTimeout: (execution, step) => dispatcher.attemptTimeout(execution, step),
      run: (execution, effect, overdueAt) => dispatcher.run(execution, effect, overdueAt),
      abort: (execution, effect) => dispatcher.abort(execution, effect),
      postpone: (...deadline) => dispatcher.postpone(...deadline),
      resolve: (execution, effect) => dispatcher.resolve(execution, effect),
      loadValues: (execution, hashes) => void this.#loadValues(execution, hashes),
      definition: (hash) => ({ hash, body: registry.text(hash)! }),
      publish: (execution, events) => publish(execution, events, this.#options),
      onFault: (execution, error) => this.#onFault(execution, error),
      idle: (execution) => this.#idle(execution),
      onMessagesTaken: this.#options.onMessagesTaken,
      onEnded: (execution) => this.#removeEnded(execution, execution.state),
    });
  }

  /** What is wrong with the store, if anything is. */
  get lastFault(): unknown {
    return this.#reconciler.lastFault;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** Nothing is being decided, or on its way to the store. */
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

  /** The end of an execution that no store has. */
  rememberedEnd(id: ExecutionId): State | undefined {
    return this.#terminalStates.get(id);
  }

  /** Something new can run: executions that were parked for the want of it go on (FAIL-9). */
  agentsChanged(): void {
    const resume: Happening = { kind: "resume", at: this.#options.environment.now() };
    for (const execution of this.#idleExecutions.parkedExecutions())
      if (hasItsAgent(execution, this.#dispatcher)) this.#loop.post(execution, resume);
  }

  get isOwned(): boolean {
    return this.#loader.isOwned;
  }

  /** The store is owned from now on: executions may come in. */
  own(): void {
    this.#loader.own();
  }

  /** The store is not owned any more: everything leaves, and what is on its way in is turned back. */
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

  /** Takes in an execution that is only an intention yet. */
  create(id: ExecutionId, definition: ContentHash, program: Program, priority: number): LiveExecution {
    const { check, registry } = this.#options;
    this.#loader.assertOwned();
    const state = registry.newState(program);
    const execution = new LiveExecution({
      id,
      definition,
      state,
      expectedEpoch: 0,
      head: CHAIN_START,
      priority,
      check,
      host: this.#host,
    });
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

  /** Calls back when an execution that is not in memory is due, unless it comes in before. One such call an execution. */
  wakeAt(id: ExecutionId, time: WakeTime, call: () => void): void {
    if (!this.#live.has(id)) this.#time.wake(id, time, call);
  }

  /** Calls back in a while, unless the execution comes in before. */
  wake(id: ExecutionId, inMs: number, call: () => void): void {
    if (!this.#live.has(id)) this.#time.wakeAgain(id, inMs, call);
  }

  /** Whether an execution that is not in memory will be called for at the time that its store has. */
  isAwaited(id: ExecutionId, wakeAt: EpochMs): boolean {
    return this.#time.isAwaited(id, wakeAt);
  }

  /** Gives back how to stop listening. */
  onEnd(id: ExecutionId, listener: EndListener): () => void {
    return this.#endListeners.add(id, listener);
  }

  /** Lets executions rest that only wait; one that is still coming in stays. */
  evictIdle(options: EvictionOptions): readonly Evicted[] {
    if (!this.#isStored) return [];
    const rested = this.#idleExecutions.takeEvictable(options);
    for (const { execution } of rested) {
      this.#loop.detach(execution);
      this.#remove(execution);
    }
    return rested;
  }

  /** Brings an execution into memory, so that it goes on. */
  async claim(id: ExecutionId): Promise<LoadOutcome> {
    if (this.#live.has(id)) return "loaded";
    const outcome = await (this.#loader.underWay(id) ?? this.#loader.load(id, []));
    if (outcome !== "loaded") this.#time.forgetWake(id);
    return outcome;
  }

  /** Delivers something, loading the execution for it if need be: one that has ended stays in memory for no one else. */
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
      // That load is turned back, because the store was lost since it began; the next one is not.
      await underWay.catch(() => undefined);
    }
  }

  /** A message that leads nowhere: it is taken, so that it does not come again. */
  discard(message: MessageId): void {
    if (this.#isClosed || !this.isOwned) return this.#options.putBack([message]);
    this.#committer.commit(undefined, [message], (answer) => {
      if (answer.kind === "durable") this.#options.onMessagesTaken([message]);
      if (answer.kind === "durable" || this.#isClosed) return;
      this.#options.report(answer.error, undefined);
      this.#options.putBack([message]);
    });
  }

  /** The durable state of an execution: that in memory when nothing of it is on its way to the store. */
  async readState(id: ExecutionId): Promise<State | undefined> {
    const live = this.#live.get(id);
    if (isQuiescent(live) || !this.#isStored) return live?.state ?? this.#terminalStates.get(id);
    return this.journals.readState(id);
  }

  /** What happened to an execution that no store has, as far as it is kept. */
  historyHere(id: ExecutionId): LiveExecution["history"] {
    return this.#live.get(id)?.history ?? this.#terminalStates.history(id);
  }

  /** Resolves when everything that was decided is durable, or has failed, and no execution is being loaded. */
  async untilCommitted(): Promise<void> {
    await Promise.all([this.#committer.idle(), this.#loader.idle()]);
  }

  /** Gives up what runs, in order, before everything is stopped. */
  shutDownAll(reason: string): Promise<void> {
    this.admission.close();
    return shutDown(this.#live.values(), reason, {
      dispatcher: this.#dispatcher,
      environment: this.#options.environment,
      isQuiet: () => this.isQuiet,
      untilCommitted: () => this.untilCommitted(),
    });
  }

  /** Stops everything: nothing is delivered, run or written from now on. */
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

  /** One that is still coming in stays. */
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

  /** It is not ours any more, or broken: what still runs for it is told so and counts for nothing. */
  #shutDown(execution: LiveExecution, reason: string): void {
    this.#dispatcher.cancelAttempts(execution, reason);
    this.#evict(execution, new StoreFault("STORE_FENCED", `the execution ${execution.id} was let go: ${reason}`));
  }

  /** As long as the store is owned here, whatever is in it is to be seen to: it comes in again, under a higher epoch. */
  #onOwnershipLost(execution: LiveExecution): void {
    const { id } = execution;
    this.#shutDown(execution, "it is not owned here any more");
    const claim = (): void => void this.claim(id).catch((error: unknown) => this.#options.report(error, id));
    if (this.isOwned) this.wake(id, AGAIN_MS, claim);
  }

  /** Out of memory, before it has ended. */
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

function closedError(): SegnoError {
  return new SegnoError("ENGINE_CLOSED", "the engine was closed before this was done; it may still have happened");
}
