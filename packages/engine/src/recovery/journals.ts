// The journals: executions as the store has them.
//
//   J1. What is read is checked whole: every event, the chain and the head (JOURNAL-4). What cannot be read is set aside and
//       left alone; the others go on (JOURNAL-6). What a newer Segno wrote is left alone without being set aside.
//   J2. An execution is folded with the definitions that it began with, which are in the store (CONTRACT-8).

import {
  createState,
  foldAll,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Program,
  type State,
} from "@segno/kernel";
import type { Pace } from "../clock/pace.ts";
import { itemLabels } from "../item-labels.ts";
import { watchEvents, type WatchEvent } from "../events/watch-event.ts";
import { asName } from "../names.ts";
import type { Registry } from "../registry.ts";
import type { LoadResult, Store } from "../store/store.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { StoreFault } from "../store/store-fault.ts";
import { readJournal } from "./read-journal.ts";

export interface JournalsPorts {
  readonly store: Store & Partial<StoreAdmin>;
  readonly registry: Registry;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly pace: Pace;
}

/** Trying again until it works, or all is over. */
interface Patience {
  readonly isClosed: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

const AGAIN_MS = 200;

export class Journals {
  readonly #ports: JournalsPorts;

  constructor(ports: JournalsPorts) {
    this.#ports = ports;
  }

  /** What happened since, as subscribers see it; nothing when there is no such execution. */
  async history(id: ExecutionId, after: number): Promise<readonly WatchEvent[] | undefined> {
    const loaded = await this.load(id);
    if (loaded === undefined) return undefined;
    const { state, events } = await this.#read(loaded);
    if ((events.at(-1)?.seq ?? 0) <= after) return [];
    return watchEvents(id, state, events, { labelOf: await itemLabels(id, state, this.#ports.store), after });
  }

  /** Nothing when there is no such execution; throws when it cannot be read. */
  async stateOf(id: ExecutionId): Promise<State | undefined> {
    const loaded = await this.load(id);
    return loaded === undefined ? undefined : (await this.#read(loaded)).state;
  }

  /** As the store has it; a crowd that asks is answered a few at a time. */
  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    const turn = this.turn();
    if (turn !== undefined) await turn;
    return this.#ports.store.load(id);
  }

  /** The turn of one who wants to read; nothing when it has come. */
  turn(): Promise<void> | undefined {
    return this.#ports.pace.turn();
  }

  /** The state that a journal gives; nothing when it cannot be read: then it is set aside. */
  async fold(loaded: LoadResult): Promise<State | undefined> {
    try {
      return (await this.#read(loaded)).state;
    } catch (error) {
      if (error instanceof StoreFault && error.code !== "STORE_CORRUPT") throw error;
      await this.setAside(loaded.id, (error as Error).message);
      return undefined;
    }
  }

  async setAside(id: ExecutionId, reason: string): Promise<void> {
    // It was set aside before, and its reason is known.
    if (reason.startsWith("quarantined:")) return;
    this.#ports.report(new StoreFault("STORE_CORRUPT", `the execution ${id} was set aside: ${reason}`), id);
    await this.#ports.store.quarantine?.(id, asName(reason));
  }

  /** What broke an invariant is set aside even if the store is down at the moment. */
  async setAsideAtLast(id: ExecutionId, reason: string, { isClosed, sleep }: Patience): Promise<void> {
    while (!isClosed()) {
      try {
        return await this.setAside(id, reason);
      } catch (error) {
        this.#ports.report(error, id);
        await sleep(AGAIN_MS);
      }
    }
  }

  /** A definition by its hash, from the store if it was never seen. */
  async definition(hash: ContentHash): Promise<Program | undefined> {
    await this.#restore(hash, []);
    return this.#ports.registry.program(hash);
  }

  async #read(loaded: LoadResult): Promise<{ readonly state: State; readonly events: readonly Event[] }> {
    if (loaded.kind === "unreadable") throw new StoreFault("STORE_CORRUPT", loaded.reason);
    const journal = readJournal(loaded);
    if (journal.kind === "newer") throw new StoreFault("STORE_VERSION", `execution ${loaded.id}, ${journal.reason}`);
    if (journal.kind !== "journal") throw new StoreFault("STORE_CORRUPT", journal.reason);
    const { definition } = loaded.projection;
    const { events } = journal;
    await this.#restore(definition, events);
    const program = this.#ports.registry.program(definition);
    if (program === undefined) throw new StoreFault("STORE_CORRUPT", "its definition is not in the store");
    return { state: foldAll(createState(program, this.#ports.registry.library), events), events };
  }

  /** The definition of the execution and of the workflows that it may call or has called. */
  async #restore(own: ContentHash, events: readonly Event[]): Promise<void> {
    const { registry, store } = this.#ports;
    const wanted = new Set([own]);
    for (const event of events) {
      if (event.kind === "execution.created")
        for (const { definition } of event.workflows ?? []) wanted.add(definition);
      if (event.kind === "step.expanded" && event.children.kind === "workflow") wanted.add(event.children.definition);
    }
    const hashes = [...wanted].filter((hash) => registry.program(hash) === undefined);
    if (hashes.length === 0) return;
    for (const text of (await store.contents({ kind: "definitions", hashes })).values()) registry.restore(text);
  }
}
