// The definitions that the journal of an execution names, read from the server and compiled once.

import type { SegnoClient } from "@segno/client";
import { programFor } from "@segno/contract";
import {
  createState,
  foldAll,
  type ContentHash,
  type Definition,
  type Event,
  type Program,
  type State,
} from "@segno/kernel";

export class RemotePrograms {
  readonly #client: SegnoClient;
  readonly #programs = new Map<ContentHash, Program>();

  constructor(client: SegnoClient) {
    this.#client = client;
  }

  /** The state of an execution before its first event, which belongs to the caller. */
  async initialState(definition: ContentHash): Promise<State> {
    return createState(await this.#load(definition), this.#programs);
  }

  /** Undefined without events. */
  async foldEvents(events: readonly Event[]): Promise<State | undefined> {
    const [created] = events;
    if (created?.kind !== "execution.created") return undefined;
    for (const event of events) await this.prepare(event);
    return foldAll(await this.initialState(created.definition), events);
  }

  /** Loads the definitions that an event names, before it is folded. */
  async prepare(event: Event): Promise<void> {
    if (event.kind === "execution.created")
      for (const { definition } of event.workflows ?? []) await this.#load(definition);
    if (event.kind === "step.expanded" && event.children.kind === "workflow")
      await this.#load(event.children.definition);
  }

  async #load(hash: ContentHash): Promise<Program> {
    const known = this.#programs.get(hash);
    if (known !== undefined) return known;
    const program = programFor((await this.#client.definition(hash)) as unknown as Definition);
    this.#programs.set(hash, program);
    return program;
  }
}
