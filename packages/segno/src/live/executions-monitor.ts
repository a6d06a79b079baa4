// Follows all executions of an engine, for `segno work`.
//   W1. Events of one execution are shown in order, also while its journal is being read.
//   W2. Events from before an execution was tracked are folded without being shown.
//   W3. After dropped events, the journal gives the state before the next event.

import type { Engine, EventBatch, StepProgress, WatchEvent } from "@segno/engine";

import type { FollowedExecution } from "../progress/followed-execution.ts";
import { loadExecution } from "../progress/load-execution.ts";
import { applyEvent, beforeFirst } from "./follower.ts";
import { withLabels, type LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

interface TrackedExecution {
  /** Absent until its journal has been read. */
  execution: FollowedExecution | undefined;
  /** The last event that is being applied; the next event waits for it. */
  pending: Promise<void>;
}

export class ExecutionsMonitor implements Disposable {
  readonly #engine: Engine;
  readonly #view: View;
  readonly #onEnded: (execution: FollowedExecution) => void;
  readonly #tracked = new Map<string, TrackedExecution>();
  readonly #stops: readonly (() => void)[];
  /** The number of events so far. */
  #received = 0;

  constructor(engine: Engine, view: View, ended: (execution: FollowedExecution) => void) {
    this.#engine = engine;
    this.#view = view;
    this.#onEnded = ended;
    this.#stops = [
      engine.subscribe({}, (batch) => this.#applyAll(batch)),
      engine.onLog({}, (id, lines) => view.onLines(id, this.#withLabels(id, lines))),
      engine.onProgress({}, (id, progress) => this.#onProgress(id, progress)),
    ];
  }

  /** Tracks an execution that is already active; its next event may be far away. */
  async track(id: string): Promise<void> {
    if (this.#tracked.has(id)) return;
    const execution = await loadExecution(this.#engine, id);
    if (this.#tracked.has(id) || execution.isEnded) return;
    this.#tracked.set(id, { execution, pending: Promise.resolve() });
    this.#view.onTracked(execution);
  }

  /** Resolves when all published events have been shown. The engine delivers events in a later turn of the event loop. */
  async untilShown(): Promise<void> {
    for (let before = -1; before !== this.#received;) {
      before = this.#received;
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(Array.from(this.#tracked.values(), ({ pending }) => pending));
    }
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #onProgress(id: string, progress: StepProgress): void {
    if (this.#tracked.get(id)?.execution?.addProgress(progress) === true) this.#view.onProgress(id, progress);
  }

  #withLabels(id: string, lines: readonly LoggedLine[]): readonly LoggedLine[] {
    const execution = this.#tracked.get(id)?.execution;
    return execution === undefined ? lines : withLabels(lines, (step) => execution.labelNamed(step));
  }

  async #applyAll({ events, dropped }: EventBatch): Promise<void> {
    this.#received += events.length;
    if (dropped > 0) this.#tracked.clear();
    await Promise.all(events.map((watched) => this.#apply(watched)));
  }

  #apply(watched: WatchEvent): Promise<void> {
    const { executionId: id } = watched;
    const tracked = this.#tracked.get(id) ?? { execution: undefined, pending: Promise.resolve() };
    this.#tracked.set(id, tracked);
    // The engine reports an execution that cannot be read; the others continue.
    tracked.pending = tracked.pending.then(() => this.#show(watched, tracked)).catch(() => undefined);
    return tracked.pending;
  }

  /** The execution before an event. Its journal has the earlier events, because events are published when they are durable. */
  #open(watched: WatchEvent): Promise<FollowedExecution> {
    const { executionId: id, seq } = watched;
    return seq === 1 ? beforeFirst(watched, this.#engine) : loadExecution(this.#engine, id, seq - 1);
  }

  async #show(watched: WatchEvent, tracked: TrackedExecution): Promise<void> {
    const execution = (tracked.execution ??= await this.#open(watched));
    if (!(await applyEvent(watched, execution, this.#engine))) return;
    this.#view.onEvent(watched, execution);
    if (!execution.isEnded) return;
    this.#tracked.delete(execution.id);
    this.#onEnded(execution);
    this.#view.forget(execution);
  }
}
