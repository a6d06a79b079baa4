// The workflows that a server offers, by name: those that the operator has loaded, and those that were put by the API.
//
//   SC1. A workflow that the operator has loaded is never replaced by one of the API, also if the server does not offer it: other
//        workflows may call it.

import type { RegisteredWorkflow } from "@segno/engine";
import { SegnoError, type Definition } from "@segno/kernel";

import type { StoredWorkflows, WorkflowVersion } from "../contracts/stored-workflows.ts";

export class ServerCatalogue {
  readonly #fixed: ReadonlyMap<string, RegisteredWorkflow>;
  readonly #stored: StoredWorkflows;
  readonly #isReserved: (name: string) => boolean;

  constructor(
    fixed: ReadonlyMap<string, RegisteredWorkflow>,
    stored: StoredWorkflows,
    isReserved: (name: string) => boolean,
  ) {
    this.#fixed = fixed;
    this.#stored = stored;
    this.#isReserved = isReserved;
  }

  async names(): Promise<readonly string[]> {
    return [...new Set([...this.#fixed.keys(), ...(await this.#stored.names())])].toSorted();
  }

  async get(name: string): Promise<RegisteredWorkflow> {
    // Also for a workflow of the operator: it may call one that another server has got in the meantime.
    const stored = await this.#stored.find(name);
    const found = this.#fixed.get(name) ?? stored;
    if (found === undefined) throw new SegnoError("WORKFLOW_UNKNOWN", `the server has no workflow \`${name}\``);
    return found;
  }

  put(definition: Definition, by: string): Promise<WorkflowVersion & { readonly isNew: boolean }> {
    if (this.#isReserved(definition.name))
      throw new SegnoError(
        "WORKFLOW_FIXED",
        `a workflow \`${definition.name}\` was loaded at the start of the server, and the API cannot replace it`,
      );
    return this.#stored.put(definition, by);
  }

  /** The versions that were put by the API, the newest first. */
  async versions(name: string): Promise<readonly WorkflowVersion[]> {
    await this.get(name);
    return this.#fixed.has(name) ? [] : this.#stored.versions(name);
  }
}
