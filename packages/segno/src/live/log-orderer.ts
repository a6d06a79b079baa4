// Orders log lines and events. Lines arrive at once and events when they are durable, so a line may arrive before the start of
// its step. Such a line waits for that start.

import type { WatchEvent } from "@segno/engine";

import type { LoggedLine } from "./log-text.ts";

export class LogOrderer {
  readonly #show: (lines: readonly LoggedLine[]) => void;
  readonly #started = new Set<string>();
  #early: LoggedLine[] = [];

  constructor(show: (lines: readonly LoggedLine[]) => void) {
    this.#show = show;
  }

  onLines(lines: readonly LoggedLine[]): void {
    for (const line of lines) if (!this.#isKnown(line)) this.#early.push(line);
    this.#forward(lines.filter((line) => this.#isKnown(line)));
  }

  /** Called after the event was shown. */
  onEvent({ step, event }: WatchEvent): void {
    if (event.kind !== "step.started" || step === undefined) return;
    this.#started.add(attemptKey(step, event.attempt));
    const lines = this.#early;
    this.#early = lines.filter((line) => !this.#isKnown(line));
    this.#forward(lines.filter((line) => this.#isKnown(line)));
  }

  /** Shows all lines that still wait, because no more events follow. */
  end(): void {
    this.#forward(this.#early.splice(0));
  }

  #isKnown({ step, attempt }: LoggedLine): boolean {
    return this.#started.has(attemptKey(step, attempt));
  }

  #forward(lines: readonly LoggedLine[]): void {
    if (lines.length > 0) this.#show(lines);
  }
}

function attemptKey(step: string, attempt: number): string {
  return `${attempt} ${step}`;
}
