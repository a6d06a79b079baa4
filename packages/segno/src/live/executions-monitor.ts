// All executions of an engine at once, for who works on whatever there is.
//
//   W1. Events of one execution come in order, also while its report is on its way.
//   W2. Of an execution that began before anybody looked, what happened before is known but told by nobody.
//   W3. Where events were dropped, the report says where things are now.

import type { Engine, EventBatch, WatchEvent } from "@segno/engine";

import { replayProgress } from "../progress/replay-progress.ts";
import { ExecutionProgress } from "../progress/execution-progress.ts";
import { applyEvent } from "./follow.ts";
import { withLabels, type LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

interface TrackedExecution {
  readonly progress: ExecutionProgress;
  /** What is being taken; the next event follows it. */
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

  /** An execution that was under way before; it may be that nothing happens to it for long. */
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
    // One that cannot be read is reported by the engine; the others go on.
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
