// Tracks the progress of all executions of an engine, for `segno work`.
//   W1. Events of one execution are shown in order, also while its report is being read.
//   W2. Events from before an execution was tracked are applied without being shown.
//   W3. After dropped events, the report gives the current state.

import type { Engine, EventBatch, WatchEvent } from "@segno/engine";

import { replayProgress } from "../progress/replay-progress.ts";
import { ExecutionProgress } from "../progress/execution-progress.ts";
import { applyEvent } from "./follow.ts";
import { withLabels, type LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

interface TrackedExecution {
  readonly progress: ExecutionProgress;
  /** The application of the last event; the next event waits for it. */
  pending: Promise<void>;
}

export class ExecutionsMonitor implements Disposable {
  readonly #engine: Engine;
  readonly #view: View;
  readonly #onEnded: (progress: ExecutionProgress) => void;
  readonly #tracked = new Map<string, TrackedExecution>();
  readonly #stops: readonly (() => void)[];

  constructor(engine: Engine, view: View, ended: (progress: ExecutionProgress) => void) {
    this.#engine = engine;
    this.#view = view;
    this.#onEnded = ended;
    this.#stops = [
      engine.subscribe({}, (batch) => this.#applyAll(batch)),
      engine.onLog({}, (id, lines) => view.onLines(id, this.#withLabels(id, lines))),
    ];
  }

  /** Tracks an execution that is already active; its next event may be far away. */
  async track(id: string): Promise<void> {
    if (this.#tracked.has(id)) return;
    const progress = await replayProgress(await this.#engine.get(id));
    if (this.#tracked.has(id) || progress.isEnded) return;
    this.#tracked.set(id, { progress, pending: Promise.resolve() });
    this.#view.onTracked(progress);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #withLabels(id: string, lines: readonly LoggedLine[]): readonly LoggedLine[] {
    const progress = this.#tracked.get(id)?.progress;
    return progress === undefined ? lines : withLabels(lines, (step) => progress.label(step));
  }

  async #applyAll({ events, dropped }: EventBatch): Promise<void> {
    if (dropped > 0) this.#tracked.clear();
    await Promise.all(events.map((watched) => this.#apply(watched)));
  }

  #apply(watched: WatchEvent): Promise<void> {
    const tracked = this.#trackedFor(watched);
    // The engine reports an execution that cannot be read; the others continue.
    tracked.pending = tracked.pending.then(() => this.#show(watched, tracked.progress)).catch(() => undefined);
    return tracked.pending;
  }

  #trackedFor({ executionId, seq }: WatchEvent): TrackedExecution {
    const known = this.#tracked.get(executionId);
    if (known !== undefined) return known;
    const progress = new ExecutionProgress(executionId);
    progress.seek(seq - 1);
    const tracked = { progress, pending: seq === 1 ? Promise.resolve() : this.#resetFromReport(progress) };
    this.#tracked.set(executionId, tracked);
    return tracked;
  }

  async #resetFromReport(progress: ExecutionProgress): Promise<void> {
    const handle = await this.#engine.get(progress.id);
    progress.resetFrom(await handle.status());
  }

  async #show(watched: WatchEvent, progress: ExecutionProgress): Promise<void> {
    const handle = await this.#engine.get(progress.id);
    if (!(await applyEvent(watched, handle, progress))) return;
    this.#view.onEvent(watched, progress);
    if (!progress.isEnded) return;
    this.#tracked.delete(progress.id);
    this.#onEnded(progress);
    this.#view.forget(progress);
  }
}
