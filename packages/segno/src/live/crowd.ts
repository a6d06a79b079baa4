// All executions of an engine at once, for who works on whatever there is.
//
//   W1. Events of one execution come in order, also while its report is on its way.
//   W2. Of an execution that began before anybody looked, what happened before is known but told by nobody.
//   W3. Where events were dropped, the report says where things are now.

import type { Engine, WatchBatch, WatchEvent } from "@segno/engine";

import { recount } from "../executions/recount.ts";
import { ExecutionProgress } from "../progress/execution-progress.ts";
import { take } from "./follow.ts";
import { labelledLines, type LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

interface Member {
  readonly progress: ExecutionProgress;
  /** What is being taken; the next event follows it. */
  turn: Promise<void>;
}

export class Crowd implements Disposable {
  readonly #engine: Engine;
  readonly #view: View;
  readonly #ended: (progress: ExecutionProgress) => void;
  readonly #members = new Map<string, Member>();
  readonly #stops: readonly (() => void)[];

  constructor(engine: Engine, view: View, ended: (progress: ExecutionProgress) => void) {
    this.#engine = engine;
    this.#view = view;
    this.#ended = ended;
    this.#stops = [
      engine.subscribe({}, (batch) => this.#takeAll(batch)),
      engine.onLog({}, (id, lines) => view.wrote(id, this.#labelled(id, lines))),
    ];
  }

  /** An execution that was under way before; it may be that nothing happens to it for long. */
  async join(id: string): Promise<void> {
    if (this.#members.has(id)) return;
    const progress = await recount(await this.#engine.get(id));
    if (this.#members.has(id) || progress.isEnded) return;
    this.#members.set(id, { progress, turn: Promise.resolve() });
    this.#view.joined(progress);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #labelled(id: string, lines: readonly LoggedLine[]): readonly LoggedLine[] {
    const progress = this.#members.get(id)?.progress;
    return progress === undefined ? lines : labelledLines(lines, (step) => progress.labelOf(step));
  }

  async #takeAll({ events, dropped }: WatchBatch): Promise<void> {
    if (dropped > 0) this.#members.clear();
    await Promise.all(events.map((watched) => this.#take(watched)));
  }

  #take(watched: WatchEvent): Promise<void> {
    const member = this.#memberOf(watched);
    // One that cannot be read is reported by the engine; the others go on.
    member.turn = member.turn.then(() => this.#show(watched, member.progress)).catch(() => undefined);
    return member.turn;
  }

  #memberOf({ executionId, seq }: WatchEvent): Member {
    const known = this.#members.get(executionId);
    if (known !== undefined) return known;
    const progress = new ExecutionProgress(executionId);
    progress.skipTo(seq - 1);
    const member = { progress, turn: seq === 1 ? Promise.resolve() : this.#rebase(progress) };
    this.#members.set(executionId, member);
    return member;
  }

  async #rebase(progress: ExecutionProgress): Promise<void> {
    const handle = await this.#engine.get(progress.id);
    progress.rebase(await handle.status());
  }

  async #show(watched: WatchEvent, progress: ExecutionProgress): Promise<void> {
    const handle = await this.#engine.get(progress.id);
    if (!(await take(watched, handle, progress))) return;
    this.#view.happened(watched, progress);
    if (!progress.isEnded) return;
    this.#members.delete(progress.id);
    this.#ended(progress);
    this.#view.forget(progress);
  }
}
