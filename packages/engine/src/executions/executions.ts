// The executions of this process, as the inbox, the ownership loop and the public API use them: how they are created,
// loaded, read and closed.
//
//   X1. An execution is in memory at most once, and only while this process owns the store. If an old take-over of a
//       former owner becomes visible late, this process takes the execution over once more.
//   X2. When a commit fails, its executions stop until the reconciler has recovered them.
//   X3. An execution with an unreadable journal, or one that breaks an invariant, is quarantined; the others continue
//       (JOURNAL-6).
//   X4. Every caller gets an answer: an evicted execution rejects its pending deliveries.

import type { ContentHash, EpochMs, ExecutionId, Program, SegnoError, State } from "@segno/kernel";
import type { Timers } from "../clock/timers.ts";
import type { WakeTime } from "../clock/wake-time.ts";
import { CHAIN_START } from "../journal/read-journal.ts";
import type { Committer } from "../turn/committer.ts";
import type { Delivery } from "../turn/delivery.ts";
import type { EndListener } from "../turn/end-listeners.ts";
import { isQuiescent, LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import { closedError } from "./closed-error.ts";
import type { Evictor } from "./evictor.ts";
import type { Evictable, EvictionOptions } from "./idle-eviction.ts";
import type { Journals } from "./journals.ts";
import type { LiveExecutions } from "./live-executions.ts";
import type { Loader, LoadOutcome } from "./loader.ts";

export interface ExecutionsPorts {
  readonly timers: Timers;
  readonly journals: Journals;
  readonly committer: Committer;
  readonly live: LiveExecutions;
  readonly loop: TurnLoop;
  readonly loader: Loader;
  readonly evictor: Evictor;
}

export class Executions {
  readonly #ports: ExecutionsPorts;
  readonly #live: LiveExecutions;
  readonly #loader: Loader;
  readonly journals: Journals;
  readonly #ownListeners: (() => void)[] = [];
  readonly #releaseListeners: (() => void)[] = [];

  constructor(ports: ExecutionsPorts) {
    this.#ports = ports;
    this.#live = ports.live;
    this.#loader = ports.loader;
    this.journals = ports.journals;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** True if no turn is running, no commit is pending, and no parked execution is about to continue. */
  get isQuiet(): boolean {
    return this.#live.isQuiet && !this.#loader.isCheckingParked;
  }

  get isClosed(): boolean {
    return this.#live.isClosed;
  }

  get timerCount(): number {
    return this.#ports.timers.size;
  }

  all(): IterableIterator<LiveExecution> {
    return this.#live.all();
  }

  live(id: ExecutionId): LiveExecution | undefined {
    return this.#live.get(id);
  }

  /** The terminal state of an execution without a store. */
  terminalState(id: ExecutionId): State | undefined {
    return this.#live.terminalState(id);
  }

  get isOwned(): boolean {
    return this.#loader.isOwned;
  }

  /** Called when this process owns the store: executions may be loaded from now on. */
  own(): void {
    this.#loader.own();
    for (const listener of this.#ownListeners) listener();
  }

  /** Calls back each time that this process begins to own the store. */
  onOwned(listener: () => void): void {
    this.#ownListeners.push(listener);
  }

  /**
   * Called when ownership of the store is lost: all executions leave memory, and loads in progress are rejected. The
   * callers are rejected with the error; without one, with `STORE_FENCED`.
   */
  releaseAll(reason: string, error?: SegnoError): void {
    this.#loader.releaseOwnership();
    for (const execution of this.#live.all()) this.#ports.evictor.abortAndEvict(execution, reason, error);
    this.#live.clearWakeTimers();
    this.#onReleased();
  }

  /** Stops all executions: nothing is delivered, run or written from now on. */
  close(): void {
    this.#live.close();
    for (const execution of this.#live.all())
      this.#ports.evictor.abortAndEvict(execution, "the engine was closed", closedError());
    this.#onReleased();
    this.#ports.timers.close();
  }

  #onReleased(): void {
    this.#live.stopFollowingAll();
    for (const listener of this.#releaseListeners) listener();
  }

  /** Calls back each time that the store is not owned any more. */
  onReleased(listener: () => void): void {
    this.#releaseListeners.push(listener);
  }

  /** Adds a new execution whose first commit is still to come. */
  create(id: ExecutionId, definition: ContentHash, program: Program, priority: number): LiveExecution {
    this.#loader.assertOwned();
    const state = this.journals.initialState(program);
    const options = { id, definition, state, priority, expectedEpoch: 0, head: CHAIN_START };
    const execution = new LiveExecution(options, this.#ports.loop);
    this.#live.addNew(execution);
    return execution;
  }

  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (this.#live.isClosed) delivery.reject?.(closedError());
    else this.#ports.loop.deliver(execution, delivery);
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
      const underWay = this.#loader.loadInProgress(id);
      if (underWay === undefined) return this.#loader.load(id, [delivery]);
      // That load will be rejected, because ownership was lost since it began; the next load will not be.
      await underWay.catch(() => undefined);
    }
  }

  /** Loads an execution into memory, so that it continues. */
  claim(id: ExecutionId): Promise<LoadOutcome> {
    return this.#loader.claim(id);
  }

  /** Evicts idle executions. An execution that is being loaded stays. */
  evictIdle(options: EvictionOptions): readonly Evictable[] {
    return this.#ports.evictor.evictIdle(options);
  }

  /** The execution has nothing to do now. */
  onIdle(execution: LiveExecution): void {
    const mayBeEvicted = execution.attempts.size === 0 || execution.state.hold !== undefined;
    this.#live.onIdle(execution, mayBeEvicted && this.#loader.loadInProgress(execution.id) === undefined);
  }

  onEnded(execution: LiveExecution): void {
    this.#live.removeAndNotify(execution, execution.state);
  }

  /** Calls back when the execution ends or leaves memory. Returns a function that unsubscribes. */
  onEnd(id: ExecutionId, listener: EndListener): () => void {
    return this.#live.onEnd(id, listener);
  }

  after(ms: number, call: () => void): () => void {
    return this.#ports.timers.after(ms, call);
  }

  sleep(ms: number): Promise<void> {
    return this.#ports.timers.sleep(ms);
  }

  /** Calls back when an execution that is not in memory is due, unless it is loaded first. An execution has one such timer. */
  setWakeTimer(id: ExecutionId, time: WakeTime, call: () => void): void {
    this.#live.setWakeTimer(id, time, call);
  }

  /** Calls back after a delay, unless the execution is loaded first. */
  setWakeTimerAfter(id: ExecutionId, ms: number, call: () => void): void {
    this.#live.setWakeTimerAfter(id, ms, call);
  }

  /** Whether a timer is set for an execution that is not in memory, at the time that the store says. */
  isWakeTimerSet(id: ExecutionId, wakeAt: EpochMs): boolean {
    return this.#live.isWakeTimerSet(id, wakeAt);
  }

  /** The durable state of an execution: the state in memory if no commit of it is pending, otherwise the stored one. */
  async readState(id: ExecutionId): Promise<State | undefined> {
    const live = this.#live.get(id);
    if (isQuiescent(live) || !this.journals.hasStore) return live?.state ?? this.#live.terminalState(id);
    return this.journals.readState(id);
  }

  async exists(id: ExecutionId): Promise<boolean> {
    if (this.#live.get(id) !== undefined || this.#live.terminalState(id) !== undefined) return true;
    return (await this.journals.load(id)) !== undefined;
  }

  /** The recent events of an execution without a store. */
  historyInMemory(id: ExecutionId): LiveExecution["history"] {
    return this.#live.history(id);
  }

  /** Resolves when every decision is durable or has failed, and no execution is being loaded. */
  async untilCommitted(): Promise<void> {
    await Promise.all([this.#ports.committer.idle(), this.#loader.idle()]);
  }
}
