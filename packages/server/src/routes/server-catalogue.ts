// The workflows that a server offers, by name.

import type { RegisteredWorkflow } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

/** A workflow that the server offers. */
export interface OfferedWorkflow {
  readonly name: string;
  readonly registered: RegisteredWorkflow;
}

export class ServerCatalogue {
  readonly #byName = new Map<string, OfferedWorkflow>();

  add(workflow: OfferedWorkflow): void {
    this.#byName.set(workflow.name, workflow);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()].toSorted();
  }

  get(name: string): OfferedWorkflow {
    const found = this.#byName.get(name);
    if (found === undefined) throw new SegnoError("WORKFLOW_UNKNOWN", `the server has no workflow \`${name}\``);
    return found;
  }
}
