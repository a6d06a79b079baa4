// Executions that cannot be read: each is reported once and left out, and the others go on (JOURNAL-6).

import type { ListedExecution } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { safeText } from "../terminal/safe-text.ts";
import type { View } from "./view.ts";

/** They say that one execution is damaged, or was written by a newer Segno. With other faults nothing can be read. */
const ABOUT_ONE: ReadonlySet<string> = new Set(["STORE_CORRUPT", "STORE_VERSION"]);

export class SkippedExecutions {
  readonly #view: View;
  readonly #ids = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** Includes executions that the engine has quarantined. */
  has({ id, workflow, quarantined }: ListedExecution): boolean {
    if (quarantined !== undefined && !this.#ids.has(id))
      this.#add(id, `the execution ${id} of ${workflow} is quarantined: ${quarantined}`);
    return this.#ids.has(id);
  }

  /** Does something that reads the execution. */
  async attempt({ id }: ListedExecution, read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof SegnoError)) throw error;
      // It was removed since it was listed.
      if (error.code === "EXECUTION_UNKNOWN") return;
      if (!ABOUT_ONE.has(error.code)) throw error;
      this.#add(id, `${error.code} ${error.message}; it is left out`);
    }
  }

  #add(id: string, text: string): void {
    this.#ids.add(id);
    this.#view.printNote(`! ${safeText(text)}`);
  }
}
