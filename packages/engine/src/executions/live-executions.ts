// The executions in the memory of this process: which ones are there, which of them are idle, and how those without a
// store ended.
//
//   M1. An execution is in memory at most once.
//   M2. An execution that is not in memory has at most one wake-up timer; entering memory removes it.
//   M3. Listeners for the end of an execution are called when it leaves memory, ended or not.

import type { EpochMs, ExecutionId, State } from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Timers } from "../clock/timers.ts";
import type { WakeTime } from "../clock/wake-time.ts";
import { EndListeners, type EndListener } from "../turn/end-listeners.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import { IdleExecutions, type Evictable, type EvictionOptions } from "./idle-eviction.ts";
import { TerminalStateCache } from "./terminal-state-cache.ts";

export interface LiveExecutionsPorts {
  readonly environment: SystemPorts;
  readonly timers: Timers;
  /** False where the store keeps nothing: then what is in memory is all that there is. */
  readonly hasStore: boolean;
  /** The maximum number of executions in memory. */
  readonly liveMax: number;
  /** Called when an execution has failed and nobody in this process waits for its end. */
  readonly onUnwatchedFailure: (id: ExecutionId, state: State) => void;
}

/** The parts that care about the number of executions in memory. */
export interface MemoryListener {
  /** An execution has left memory, or is idle and could leave it: there may be capacity for another one. */
  onCapacity(): void;
  /** A load has exceeded the limit. */
  onFull(): void;
}

const NO_LISTENER: MemoryListener = { onCapacity: () => undefined, onFull: () => undefined };

export class LiveExecutions {
  readonly #ports: LiveExecutionsPorts;
  readonly #live = new Map<ExecutionId, LiveExecution>();
  readonly #idle: IdleExecutions;
  readonly #terminalStates = new TerminalStateCache();
  readonly #endListeners = new EndListeners();
  #listener: MemoryListener = NO_LISTENER;
  #isClosed = false;

  constructor(ports: LiveExecutionsPorts) {
    this.#ports = ports;
    this.#idle = new IdleExecutions(() => ports.environment.now());
  }

  /** The number of executions in memory is reported to this listener. */
  connect(listener: MemoryListener): void {
    this.#listener = listener;
  }

  get size(): number {
    return this.#live.size;
  }

  get(id: ExecutionId): LiveExecution | undefined {
    return this.#live.get(id);
  }

  all(): IterableIterator<LiveExecution> {
    return this.#live.values();
  }

  /** True if no execution is in a turn or waits for a commit. */
  get isQuiet(): boolean {
    for (const { turnStage } of this.#live.values()) if (turnStage !== "idle") return false;
    return true;
  }

  /** Whether the engine has closed: then no execution enters memory. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Adds an execution that was started here. Its start has reserved capacity. */
  addNew(execution: LiveExecution): void {
    if (!this.#ports.hasStore) execution.history = this.#terminalStates.newHistory();
    this.#add(execution);
  }

  /** Adds an execution that was loaded. It is due, so it enters even if memory is full. */
  addLoaded(execution: LiveExecution): void {
    this.#add(execution);
    if (this.#live.size > this.#ports.liveMax) this.#listener.onFull();
  }

  #add(execution: LiveExecution): void {
    this.#ports.timers.clearWakeTimer(execution.id);
    this.#live.set(execution.id, execution);
  }

  /** The execution has nothing to do now. It joins the idle ones only if it may be evicted. */
  onIdle(execution: LiveExecution, isEvictable: boolean): void {
    if (isEvictable) this.#idle.add(execution);
    this.#listener.onCapacity();
  }

  /** The execution was loaded, and may have nothing to do. */
  onLoaded(id: ExecutionId): void {
    this.#idle.add(this.#live.get(id));
  }

  /** Executions that are parked because this process lacked something. */
  parkedExecutions(): readonly LiveExecution[] {
    return this.#idle.parkedExecutions();
  }

  /** Idle executions that may leave memory. Without a store, none may. */
  takeEvictable(options: EvictionOptions): readonly Evictable[] {
    return this.#ports.hasStore ? this.#idle.takeEvictable(options) : [];
  }

  /** Removes an execution that is loaded again when it is due. */
  remove(execution: LiveExecution): void {
    execution.leave();
    this.#live.delete(execution.id);
    this.#idle.remove(execution);
    this.#listener.onCapacity();
  }

  /** Removes an execution and notifies those who wait for its end. `state` is undefined if it has not ended. */
  removeAndNotify(execution: LiveExecution, state: State | undefined): void {
    this.remove(execution);
    if (state !== undefined && !this.#ports.hasStore) this.#terminalStates.add(execution.id, state, execution.history);
    const isWatched = this.#endListeners.notify(execution.id, state);
    if (!isWatched && state?.baseStatus === "failed") this.#ports.onUnwatchedFailure(execution.id, state);
  }

  /** Returns a function that unsubscribes. */
  onEnd(id: ExecutionId, listener: EndListener): () => void {
    return this.#endListeners.add(id, listener);
  }

  /** This process no longer follows any execution. */
  stopFollowingAll(): void {
    this.#endListeners.notifyAll();
  }

  /** The terminal state of an execution without a store. */
  terminalState(id: ExecutionId): State | undefined {
    return this.#terminalStates.get(id);
  }

  /** The recent events of an execution without a store. */
  history(id: ExecutionId): LiveExecution["history"] {
    return this.#live.get(id)?.history ?? this.#terminalStates.history(id);
  }

  /** The known timer of an execution that is not in memory. */
  wakeTime(id: ExecutionId): WakeTime | undefined {
    return this.#ports.timers.wakeTime(id);
  }

  /** Calls back when an execution that is not in memory is due, unless it is loaded first. */
  setWakeTimer(id: ExecutionId, time: WakeTime, call: () => void): void {
    if (!this.#live.has(id)) this.#ports.timers.setWakeTimer(id, time, call);
  }

  /** Calls back after a delay, unless the execution is loaded first. */
  setWakeTimerAfter(id: ExecutionId, ms: number, call: () => void): void {
    if (!this.#live.has(id)) this.#ports.timers.setWakeTimerAfter(id, ms, call);
  }

  /** Whether a timer is set for an execution that is not in memory, at the time that the store says. */
  isWakeTimerSet(id: ExecutionId, wakeAt: EpochMs): boolean {
    return this.#ports.timers.isWakeTimerSet(id, wakeAt);
  }

  clearWakeTimer(id: ExecutionId): void {
    this.#ports.timers.clearWakeTimer(id);
  }

  clearWakeTimers(): void {
    this.#ports.timers.clearWakeTimers();
  }
}
