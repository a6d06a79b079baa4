// Collects the output of steps of this process before anything follows the execution, because a step may be faster.

import type { Engine, StepProgress } from "@segno/engine";

import type { LoggedLine } from "./log-text.ts";

export type ShowLines = (lines: readonly LoggedLine[]) => void;

export class LogRouter implements Disposable {
  readonly #engine: Engine;
  readonly #stop: () => void;
  #early: (readonly [execution: string, lines: readonly LoggedLine[]])[] = [];
  #show: ShowLines | undefined;
  #id: string | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#stop = engine.onLog({}, (id, lines) => this.#route(id, lines));
  }

  /** Shows the lines of one execution, starting with those that have arrived already. */
  show(id: string, show: ShowLines): void {
    this.#id = id;
    this.#show = show;
    for (const [execution, lines] of this.#early.splice(0)) this.#route(execution, lines);
  }

  /** Calls back with the progress of steps of one execution. Returns how to stop that. */
  onProgress(id: string, listener: (progress: StepProgress) => void): () => void {
    return this.#engine.onProgress({ executionId: id }, (_, progress) => listener(progress));
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #route(execution: string, lines: readonly LoggedLine[]): void {
    if (this.#show === undefined) this.#early.push([execution, lines]);
    else if (execution === this.#id) this.#show(lines);
  }
}
