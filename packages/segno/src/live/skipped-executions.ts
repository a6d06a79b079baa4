// Executions that cannot be read: each is reported once and skipped, and the others continue (JOURNAL-6).

import type { ListedExecution } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { safeText } from "../terminal/safe-text.ts";
import type { View } from "./view.ts";

/** Codes that concern one execution: it is damaged, or a newer Segno wrote it. Other faults concern the whole journal. */
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

  /** Runs a function that reads the execution, and skips the execution if that fails. */
  async attempt({ id }: ListedExecution, read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof SegnoError)) throw error;
      // The execution was removed after it was listed.
      if (error.code === "EXECUTION_UNKNOWN") return;
      if (!ABOUT_ONE.has(error.code)) throw error;
      this.#add(id, `${error.code} ${error.message}; it is skipped`);
    }
  }

  #add(id: string, text: string): void {
    this.#ids.add(id);
    this.#view.printNote(`! ${safeText(text)}`);
  }
}
