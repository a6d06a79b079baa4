// The journals: executions as the store has them.
//
//   J1. What is read is checked whole: every event, the chain and the head (JOURNAL-4). An execution is quarantined, and left
//       alone, when it was read twice, the second time from the file itself, and did not fit its hashes either time; the
//       others go on (JOURNAL-6). A store that fails at reading is a fault, which is tried again: nothing is quarantined for it.
//       An execution that a newer Segno wrote is left alone without being quarantined.
//   J2. An execution is folded with the definitions that it began with, which are in the store (CONTRACT-8).
//   J3. The output of a completed execution is read from its last block, checked against its hash, its link and its head. The
//       blocks before it are not read: folding them costs three times as much as everything else, for nothing that is asked.

import {
  foldAll,
  SegnoError,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Program,
  type State,
} from "@segno/kernel";
import { canonicalHash } from "../checks/definition-text.ts";
import type { Pace } from "../clock/pace.ts";
import { itemLabels } from "../journal/item-labels.ts";
import { finalContext, isCompleted } from "../events/final-context.ts";
import { toPublicEvents, type WatchEvent } from "../events/watch-event.ts";
import { asName } from "../checks/names.ts";
import type { Registry } from "../registry/registry.ts";
import type { Backup } from "../store/backup.ts";
import type { LoadResult, Store } from "../store/store.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { StoreFault } from "../store/store-fault.ts";
import { readJournal, readLastBlock } from "../journal/read-journal.ts";

export interface JournalsPorts {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly registry: Registry;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly pace: Pace;
}

/** An execution as it was read, and the state that its journal gives. */
export interface FoldedJournal {
  readonly loaded: Readable;
  readonly state: State;
  readonly events: readonly Event[];
}

type Completion = Event & { kind: "execution.completed" };

type Readable = LoadResult & { kind: "execution" };

/** It was read, and is not what was written. */
interface Damaged {
  readonly damage: string;
}
/** Trying again until it works, or all is over. */
interface RetryLoop {
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
    const { state, events } = await this.#readable(loaded);
    if ((events.at(-1)?.seq ?? 0) <= after) return [];
    const { store } = this.#ports;
    const context = isCompleted(events) ? await finalContext(id, state, store) : undefined;
    return toPublicEvents(id, state, events, { labelOf: await itemLabels(id, state, store), context, after });
  }

  /** Nothing when there is no such execution; throws when it cannot be read. */
  async readState(id: ExecutionId): Promise<State | undefined> {
    return (await this.read(id))?.state;
  }

  /** The same with its events. */
  async read(id: ExecutionId): Promise<FoldedJournal | undefined> {
    const loaded = await this.load(id);
    return loaded === undefined ? undefined : this.#readable(loaded);
  }

  /**
   * How a completed execution ended, from its last block alone (J3). Nothing when it has not completed, or when the block
   * does not fit: then the whole journal tells.
   */
  async completion(id: ExecutionId): Promise<Completion | undefined> {
    const turn = this.turn();
    if (turn !== undefined) await turn;
    const last = await this.#ports.store.loadLast(id);
    if (last?.projection.status !== "completed") return undefined;
    const end = readLastBlock(last)?.at(-1);
    return end?.kind === "execution.completed" ? end : undefined;
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

  /** The state that a journal gives; nothing when it is quarantined, or not there any more (J1). */
  async fold(loaded: LoadResult): Promise<FoldedJournal | undefined> {
    if (isQuarantined(loaded)) return undefined;
    const first = await this.#read(loaded);
    if ("state" in first) return first;
    await this.#ports.store.reopen?.();
    const again = await this.#ports.store.load(loaded.id);
    if (again === undefined || isQuarantined(again)) return undefined;
    const second = await this.#read(again);
    if ("state" in second) return second;
    await this.quarantine(loaded.id, second.damage);
    return undefined;
  }

  async quarantine(id: ExecutionId, reason: string): Promise<void> {
    this.#ports.report(new StoreFault("STORE_CORRUPT", `the execution ${id} was quarantined: ${reason}`), id);
    await this.#ports.store.quarantine?.(id, asName(reason));
  }

  /** What broke an invariant is quarantined even if the store is down at the moment. */
  async quarantineWithRetry(id: ExecutionId, reason: string, { isClosed, sleep }: RetryLoop): Promise<void> {
    while (!isClosed()) {
      try {
        return await this.quarantine(id, reason);
      } catch (error) {
        this.#ports.report(error, id);
        await sleep(AGAIN_MS);
      }
    }
  }

  /** A definition by its hash, from the store if it was never seen; `DEFINITION_INVALID` when there is none that fits. */
  async definition(hash: ContentHash): Promise<Program> {
    const { registry, store } = this.#ports;
    if ((await this.#restore(hash, [])) !== undefined) {
      await store.reopen?.();
      const damage = await this.#restore(hash, []);
      if (damage !== undefined) throw new SegnoError("DEFINITION_INVALID", damage);
    }
    return registry.program(hash)!;
  }

  async #readable(loaded: LoadResult): Promise<FoldedJournal> {
    const read = await this.#read(loaded);
    if ("state" in read) return read;
    throw new StoreFault("STORE_CORRUPT", `the execution ${loaded.id}: ${read.damage}`);
  }

  /** Throws where nothing can be said about what is stored. */
  async #read(loaded: LoadResult): Promise<FoldedJournal | Damaged> {
    if (loaded.kind === "unreadable") return { damage: loaded.reason };
    const journal = readJournal(loaded);
    if (journal.kind === "newer") throw new StoreFault("STORE_VERSION", `execution ${loaded.id}, ${journal.reason}`);
    if (journal.kind !== "journal") return { damage: journal.reason };
    const { definition } = loaded.projection;
    const { events } = journal;
    const damage = await this.#tryRestore(loaded.id, definition, events);
    if (damage !== undefined) return { damage };
    try {
      const state = this.#ports.registry.newState(this.#ports.registry.program(definition)!);
      return { loaded, state: foldAll(state, events), events };
    } catch (error) {
      return { damage: (error as Error).message };
    }
  }

  /**
   * Brings in the definition of the execution and of the workflows that it may call or has called. Gives back what is wrong
   * with one of them, if anything is.
   */
  async #restore(own: ContentHash, events: readonly Event[]): Promise<string | undefined> {
    const { registry, store } = this.#ports;
    const hashes = definitionsIn(own, events).filter((hash) => registry.program(hash) === undefined);
    if (hashes.length === 0) return undefined;
    const texts = await store.contents({ kind: "definitions", hashes });
    for (const hash of hashes) {
      const text = texts.get(hash);
      if (text === undefined) return `the definition ${hash} is not in the store`;
      if (canonicalHash(text) !== hash) return `the definition ${hash} is not what was written`;
      registry.restore(text);
    }
    return undefined;
  }

  /** The text of each is what was written, so one that cannot be compiled is from a Segno that knows more than this one. */
  async #tryRestore(id: ExecutionId, own: ContentHash, events: readonly Event[]): Promise<string | undefined> {
    try {
      return await this.#restore(own, events);
    } catch (cause) {
      if (!(cause instanceof SegnoError) || cause.code !== "DEFINITION_INVALID") throw cause;
      throw new StoreFault("STORE_VERSION", `execution ${id}: ${cause.message}`, { cause });
    }
  }
}

function isQuarantined(loaded: LoadResult): boolean {
  return loaded.kind === "unreadable" && loaded.isQuarantined;
}

/** The definition of an execution, and those of the workflows that it may call or has called. */
export function definitionsIn(own: ContentHash, events: readonly Event[]): readonly ContentHash[] {
  const named = new Set([own]);
  for (const event of events) {
    if (event.kind === "execution.created") for (const { definition } of event.workflows ?? []) named.add(definition);
    if (event.kind === "step.expanded" && event.children.kind === "workflow") named.add(event.children.definition);
  }
  return [...named];
}
