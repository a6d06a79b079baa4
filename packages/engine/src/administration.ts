// Looking after executions: verify, export, import, remove, back up (JOURNAL-4, JOURNAL-7).

import { isTerminalStatus, SegnoError, type ExecutionId } from "@segno/kernel";
import type { Executions } from "./executions.ts";
import { readJournal } from "./recovery/read-journal.ts";
import { idOf } from "./names.ts";
import { invalidOption } from "./options/option-error.ts";
import { isText } from "./options/option-rules.ts";
import type { Backup } from "./store/backup.ts";
import type { Store } from "./store/store.ts";
import { damagedValue } from "./store/stored-values.ts";
import type { StoreAdmin } from "./store/store-admin.ts";
import { checkImport } from "./store/import-check.ts";
import { exportExecution, importExecution } from "./store/transfer.ts";
import { withoutPayloads } from "./turn/seal.ts";

export interface AdministrationPorts {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly executions: Executions;
  assertOwner(): void;
}

export interface Verification {
  readonly ok: boolean;
  readonly events: number;
  /** What is wrong, if anything is. */
  readonly reason?: string;
}

export class Administration {
  readonly #ports: AdministrationPorts;

  constructor(ports: AdministrationPorts) {
    this.#ports = ports;
  }

  /** Reads an execution's journal and checks every event, the chain, its head, and the values that are kept beside it. */
  async verify(id: string): Promise<Verification> {
    const loaded = await this.#ports.store.load(idOf(id));
    if (loaded === undefined) throw unknown(id);
    if (loaded.kind === "unreadable") return { ok: false, events: 0, reason: loaded.reason };
    const journal = readJournal(loaded);
    if (journal.kind !== "journal") return { ok: false, events: 0, reason: journal.reason };
    const reason = await damagedValue(this.#ports.store, loaded.id, loaded.blocks);
    return { ok: reason === undefined, events: journal.events.length, ...(reason === undefined ? {} : { reason }) };
  }

  /** The execution as lines of JSON. */
  async *export(id: string): AsyncGenerator<string> {
    if ((await this.#ports.store.load(idOf(id))) === undefined) throw unknown(id);
    yield* exportExecution(this.#ports.store, idOf(id));
  }

  /** Takes in what was exported; what is unfinished goes on here. */
  async import(lines: AsyncIterable<string> | Iterable<string>): Promise<ExecutionId> {
    this.#ports.assertOwner();
    if (!isLines(lines))
      throw invalidOption("lines", "a list of the lines of an export, or something that gives them", lines);
    const id = await importExecution(this.#ports.store, lines, checkImport);
    const loaded = await this.#ports.store.load(id);
    if (loaded?.kind === "execution" && !isTerminalStatus(loaded.projection.status))
      await this.#ports.executions.claim(id);
    return id;
  }

  /** Removes an execution that has ended, with everything that belongs to it. */
  async remove(id: string): Promise<void> {
    const { store } = this.#ports;
    await this.#assertEnded(id);
    if (store.remove === undefined) throw unsupported("remove executions");
    await store.remove(idOf(id));
  }

  /** Removes what an execution that has ended was given and gave, and what its steps wrote; its chain still verifies. */
  async removePayloads(id: string): Promise<void> {
    const { store } = this.#ports;
    await this.#assertEnded(id);
    if (store.removePayloads === undefined) throw unsupported("remove payloads");
    await store.removePayloads(idOf(id), withoutPayloads);
  }

  async #assertEnded(id: string): Promise<void> {
    const { store, executions } = this.#ports;
    this.#ports.assertOwner();
    const loaded = await store.load(idOf(id));
    if (loaded === undefined) throw unknown(id);
    const isEnded = loaded.kind === "unreadable" || isTerminalStatus(loaded.projection.status);
    if (!isEnded || executions.live(idOf(id)) !== undefined)
      throw new SegnoError("EXECUTION_UNFINISHED", `the execution ${id} has not ended; cancel it first`);
  }

  /** What is wrong with the store's file; nothing for a store that has none. */
  async integrity(): Promise<readonly string[]> {
    return (await this.#ports.store.integrity?.()) ?? [];
  }

  /** Gives back the room that removed executions left. */
  async vacuum(): Promise<void> {
    if (this.#ports.store.vacuum === undefined) throw unsupported("be made smaller");
    await this.#ports.store.vacuum();
  }

  /** Writes a consistent copy of the store to a file that must not exist. */
  async backup(file: string): Promise<void> {
    if (!isText(file)) throw invalidOption("file", "the path of a file", file);
    if (this.#ports.store.backup === undefined) throw unsupported("be copied to a file");
    await this.#ports.store.backup(file);
  }
}

/** A text gives its characters one by one, and they are no lines. */
function isLines(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function unknown(id: string): SegnoError {
  return new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
}

function unsupported(what: string): SegnoError {
  return new SegnoError("STORE_UNSUPPORTED", `this store cannot ${what}`);
}
