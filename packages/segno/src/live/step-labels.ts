// Finds the labels of map items by step names, for log lines that have only the name.
//   L1. A label that cannot be read is omitted: lines are shown even if the journal cannot be read.

import type { ExecutionHandle } from "@segno/engine";

import type { LoggedLine } from "./log-text.ts";

export class StepLabels {
  readonly #handle: ExecutionHandle;
  /** Known steps, with or without a label. */
  #labels: ReadonlyMap<string, string | undefined> = new Map();

  constructor(handle: ExecutionHandle) {
    this.#handle = handle;
  }

  /** An unknown step was added after the last report. */
  async beside(line: LoggedLine): Promise<LoggedLine> {
    if (!this.#labels.has(line.step)) await this.#look(line.step);
    const label = this.#labels.get(line.step);
    return label === undefined ? line : { ...line, label };
  }

  async #look(step: string): Promise<void> {
    const report = await this.#handle.status().catch(() => undefined);
    this.#labels = new Map([
      [step, undefined],
      ...(report?.steps ?? []).map(({ name, label }) => [name, label] as const),
    ]);
  }
}
