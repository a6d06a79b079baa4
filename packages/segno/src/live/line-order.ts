// Lines come at once and events when they are durable, so a line may be here before the start of the step that wrote it. It
// waits for that start: what people read is in the order in which it happened.

import type { WatchEvent } from "@segno/engine";

import type { LoggedLine } from "./log-text.ts";

export class LineOrder {
  readonly #show: (lines: readonly LoggedLine[]) => void;
  readonly #started = new Set<string>();
  #early: LoggedLine[] = [];

  constructor(show: (lines: readonly LoggedLine[]) => void) {
    this.#show = show;
  }

  wrote(lines: readonly LoggedLine[]): void {
    for (const line of lines) if (!this.#isKnown(line)) this.#early.push(line);
    this.#pass(lines.filter((line) => this.#isKnown(line)));
  }

  /** After the event itself was shown. */
  happened({ step, event }: WatchEvent): void {
    if (event.kind !== "step.started" || step === undefined) return;
    this.#started.add(keyOf(step, event.attempt));
    const lines = this.#early;
    this.#early = lines.filter((line) => !this.#isKnown(line));
    this.#pass(lines.filter((line) => this.#isKnown(line)));
  }

  /** Nothing more will happen; whatever has not been shown is. */
  end(): void {
    this.#pass(this.#early.splice(0));
  }

  #isKnown({ step, attempt }: LoggedLine): boolean {
    return this.#started.has(keyOf(step, attempt));
  }

  #pass(lines: readonly LoggedLine[]): void {
    if (lines.length > 0) this.#show(lines);
  }
}

function keyOf(step: string, attempt: number): string {
  return `${attempt} ${step}`;
}
