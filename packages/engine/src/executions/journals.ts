// The journals in the store: reads executions, and what turns need beside them.
//
//   J1. A read checks everything: every event, the chain and the head (JOURNAL-4). An execution is quarantined if two
//       reads, the second one directly from the file, do not match their hashes; the others continue (JOURNAL-6). A
//       store that fails to read is a fault, which is retried and quarantines nothing. An execution that a newer Segno
//       wrote is skipped without a quarantine.
//   J2. An execution is folded with the definitions that it began with, which are in the store (CONTRACT-8).
//   J3. The output of a completed execution is read from its last block, checked against its hash, its link and its
//       head. The blocks before it are not read: folding them costs three times as much as the rest, and the answer
//       does not need them.

import {
  foldAll,
  SegnoError,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Program,
  type State,
} from "@segno/kernel";
import { fetchValues, type ValueOwner } from "../attempts/fetch-values.ts";
import { canonicalHash } from "../checks/definition-text.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import { Pace } from "../clock/pace.ts";
import { itemLabels } from "../journal/item-labels.ts";
import { finalContext, isCompleted } from "../events/final-context.ts";
import { toPublicEvents, type WatchEvent } from "../events/watch-event.ts";
import { asName } from "../checks/names.ts";
import type { Registry } from "../registry/registry.ts";
import type { Backup } from "../store/backup.ts";
import type { Content, LoadResult, Store } from "../store/store.ts";
import type { TurnStorage } from "../turn/turn-loop-ports.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { StoreFault } from "../store/store-fault.ts";
import { readJournal, readLastBlock } from "../journal/read-journal.ts";

export interface JournalsPorts {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly environment: SystemPorts;
  readonly registry: Registry;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  /** Maximum number of events in a journal. */
  readonly journalMax: number;
}

/** A loaded execution with its folded state. */
export interface FoldedJournal {
  readonly loaded: LoadedExecution;
  readonly state: State;
  readonly events: readonly Event[];
}

type Completion = Event & { kind: "execution.completed" };

type LoadedExecution = LoadResult & { kind: "execution" };

/** The stored data was read and does not match its hashes. */
interface Damaged {
  readonly damage: string;
}
/** Options of a retry loop that ends when the engine closes. */
interface RetryLoop {
  readonly isClosed: () => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

const RETRY_MS = 200;
/** The number of executions read per tick of the event loop. */
const READS_AT_ONCE = 64;

export class Journals implements TurnStorage {
  readonly #ports: JournalsPorts;
  readonly #pace: Pace;
  /** False where the store keeps nothing: then what is in memory is all that there is. */
  readonly hasStore: boolean;
  readonly journalMax: number;

  constructor(ports: JournalsPorts) {
    this.#ports = ports;
    this.#pace = new Pace(ports.environment, READS_AT_ONCE);
    this.hasStore = ports.store.keepsExecutions !== false;
    this.journalMax = ports.journalMax;
  }

  definitionContent(hash: ContentHash): Content {
    return { hash, body: this.#ports.registry.text(hash)! };
  }

  loadValues(execution: ValueOwner, hashes: readonly ContentHash[]): Promise<void> {
    return fetchValues(execution, hashes, this.#ports.store);
  }

  /** The state of an execution before its first event. */
  initialState(program: Program): State {
    return this.#ports.registry.newState(program);
  }

  /** Public events after a sequence number; undefined if the execution does not exist. */
  async history(id: ExecutionId, after: number): Promise<readonly WatchEvent[] | undefined> {
    const loaded = await this.load(id);
    if (loaded === undefined) return undefined;
    const { state, events } = await this.#readOrThrow(loaded);
    if ((events.at(-1)?.seq ?? 0) <= after) return [];
    const { store } = this.#ports;
    const context = isCompleted(events) ? await finalContext(id, state, store) : undefined;
    return toPublicEvents(id, state, events, { labelOf: await itemLabels(id, state, store), context, after });
  }

  /** Undefined if the execution does not exist. Throws if it cannot be read. */
  async readState(id: ExecutionId): Promise<State | undefined> {
    return (await this.read(id))?.state;
  }

  /** The state before the first event of an execution with this definition, which belongs to the caller. */
  async loadInitialState(definition: ContentHash): Promise<State> {
    return this.initialState(await this.definition(definition));
  }

  /** The state together with its events. */
  async read(id: ExecutionId): Promise<FoldedJournal | undefined> {
    const loaded = await this.load(id);
    return loaded === undefined ? undefined : this.#readOrThrow(loaded);
  }

  /**
   * The end of a completed execution, read from its last block alone (J3). Undefined if it has not completed or the
   * block does not match; the caller then reads the whole journal.
   */
  async completion(id: ExecutionId): Promise<Completion | undefined> {
    const wait = this.waitToRead();
    if (wait !== undefined) await wait;
    const last = await this.#ports.store.loadLast(id);
    if (last?.projection.status !== "completed") return undefined;
    const end = readLastBlock(last)?.at(-1);
    return end?.kind === "execution.completed" ? end : undefined;
  }

  /** Loads an execution from the store. Concurrent loads are limited to a few at a time. */
  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    const wait = this.waitToRead();
    if (wait !== undefined) await wait;
    return this.loadNow(id);
  }

  /** Loads an execution at once, for a caller that has awaited `waitToRead`. */
  loadNow(id: ExecutionId): Promise<LoadResult | undefined> {
    return this.#ports.store.load(id);
  }

  /** Resolves when the caller may read; undefined if it may read at once. Reads are spread over ticks of the event loop. */
  waitToRead(): Promise<void> | undefined {
    return this.#pace.wait();
  }

  /** Resolves when no caller waits to read. */
  whenReadsIdle(): Promise<void> {
    return this.#pace.whenIdle();
  }

  /** Folds a journal to its state. Undefined if the execution is quarantined or no longer exists (J1). */
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

  /** Quarantines an execution that broke an invariant. It retries while the store fails. */
  async quarantineWithRetry(id: ExecutionId, reason: string, { isClosed, sleep }: RetryLoop): Promise<void> {
    while (!isClosed()) {
      try {
        return await this.quarantine(id, reason);
      } catch (error) {
        this.#ports.report(error, id);
        await sleep(RETRY_MS);
      }
    }
  }

  /**
   * The program for a definition hash, loaded from the store if it is not cached. Throws `DEFINITION_INVALID` if the
   * store has no matching definition.
   */
  async definition(hash: ContentHash): Promise<Program> {
    const { registry, store } = this.#ports;
    if ((await this.#restore(hash, [])) !== undefined) {
      await store.reopen?.();
      const damage = await this.#restore(hash, []);
      if (damage !== undefined) throw new SegnoError("DEFINITION_INVALID", damage);
    }
    return registry.program(hash)!;
  }

  async #readOrThrow(loaded: LoadResult): Promise<FoldedJournal> {
    const read = await this.#read(loaded);
    if ("state" in read) return read;
    throw new StoreFault("STORE_CORRUPT", `the execution ${loaded.id}: ${read.damage}`);
  }

  /** Throws if the fault says nothing about the stored data. */
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
      const state = this.initialState(this.#ports.registry.program(definition)!);
      return { loaded, state: foldAll(state, events), events };
    } catch (error) {
      return { damage: (error as Error).message };
    }
  }

  /**
   * Loads the definitions of the execution and of the workflows that it may call or has called. Returns the problem
   * with one of them, if there is one.
   */
  async #restore(definition: ContentHash, events: readonly Event[]): Promise<string | undefined> {
    const { registry, store } = this.#ports;
    const hashes = definitionsIn(definition, events).filter((hash) => registry.program(hash) === undefined);
    if (hashes.length === 0) return undefined;
    const texts = await store.contents({ kind: "definitions", hashes });
    for (const hash of hashes) {
      const text = texts.get(hash);
      if (text === undefined) return `the definition ${hash} is not in the store`;
      if (canonicalHash(text) !== hash) return `the definition ${hash} does not match its hash`;
      registry.restore(text);
    }
    return undefined;
  }

  /** Each text matches its hash, so a text that does not compile comes from a newer Segno. */
  async #tryRestore(id: ExecutionId, definition: ContentHash, events: readonly Event[]): Promise<string | undefined> {
    try {
      return await this.#restore(definition, events);
    } catch (cause) {
      if (!(cause instanceof SegnoError) || cause.code !== "DEFINITION_INVALID") throw cause;
      throw new StoreFault("STORE_VERSION", `execution ${id}: ${cause.message}`, { cause });
    }
  }
}

function isQuarantined(loaded: LoadResult): boolean {
  return loaded.kind === "unreadable" && loaded.isQuarantined;
}

/** The hashes of an execution's definition, and of the workflows that it may call or has called. */
export function definitionsIn(rootDefinition: ContentHash, events: readonly Event[]): readonly ContentHash[] {
  const named = new Set([rootDefinition]);
  for (const event of events) {
    if (event.kind === "execution.created") for (const { definition } of event.workflows ?? []) named.add(definition);
    if (event.kind === "step.expanded" && event.children.kind === "workflow") named.add(event.children.definition);
  }
  return [...named];
}
