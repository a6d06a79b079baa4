// Labels of items by the names of their steps, for lines that only have the name.
//
//   L1. What cannot be found out is left out: lines are shown also where the journal cannot be read.

import type { ExecutionHandle } from "@segno/engine";

import type { LoggedLine } from "./log-text.ts";

export class StepLabels {
  readonly #handle: ExecutionHandle;
  /** Steps that are known, with a label or without. */
  #labels: ReadonlyMap<string, string | undefined> = new Map();

  constructor(handle: ExecutionHandle) {
    this.#handle = handle;
  }

  /** A step that is not known yet was added since somebody last looked. */
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
