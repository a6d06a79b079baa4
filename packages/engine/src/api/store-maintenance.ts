// Looking after executions: verify, export, import, remove, back up (JOURNAL-4, JOURNAL-7).

import { isTerminalStatus, SegnoError, type ExecutionId } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Executions } from "../executions/executions.ts";
import type { CheckedExecution } from "./checking/execution-check.ts";
import type { Finding } from "./checking/finding.ts";
import { checkExecution, checkStore, type CheckedPart } from "./checking/store-check.ts";
import type { InboxPoller } from "../inbox/inbox-poller.ts";
import { toExecutionId } from "../checks/names.ts";
import { invalidOption } from "../checks/option-error.ts";
import { isText } from "../checks/option-rules.ts";
import type { Backup } from "../store/backup.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { checkImport } from "../journal/import-check.ts";
import { exportExecution, importExecution } from "../journal/transfer.ts";
import { withoutPayloads } from "../journal/block-encoding.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

export interface StoreMaintenancePorts {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly executions: Executions;
  readonly environment: Environment;
  readonly inboxPoller: InboxPoller;
  assertOwner(): void;
}

export interface Verification {
  readonly ok: boolean;
  readonly events: number;
  /** Everything that is wrong. */
  readonly findings: readonly Finding[];
  /** The reason of the quarantine, where the execution is quarantined. */
  readonly quarantined?: string;
  /** Why it was quarantined, or the first finding. */
  readonly reason?: string;
}

export class StoreMaintenance {
  readonly #ports: StoreMaintenancePorts;

  constructor(ports: StoreMaintenancePorts) {
    this.#ports = ports;
  }

  /** Checks an execution: its journal, what that names, and what the store says about it. */
  async verify(id: string): Promise<Verification> {
    const { store } = this.#ports;
    if (store.examine === undefined) throw unsupportedError("be checked");
    const checked = await checkExecution(store, toExecutionId(id));
    if (checked === undefined) throw unknownExecution(id);
    const { findings, events, quarantined } = checked;
    const reason = quarantined === undefined ? findings[0]?.message : `quarantined: ${quarantined}`;
    return {
      ok: reason === undefined,
      events,
      findings,
      ...(quarantined === undefined ? {} : { quarantined }),
      ...(reason === undefined ? {} : { reason }),
    };
  }

  /** Checks everything, and gives back what was found as it is found. */
  check(): AsyncGenerator<CheckedPart> {
    return checkStore(this.#ports.store);
  }

  /** Checks an execution that was quarantined, and lets it go on where nothing is wrong with it. */
  async recover(id: string): Promise<void> {
    const { store, executions, inboxPoller } = this.#ports;
    this.#ports.assertOwner();
    if (store.release === undefined) throw unsupportedError("bring back executions");
    await store.reopen?.();
    const checked = await checkExecution(store, toExecutionId(id));
    if (checked === undefined) throw unknownExecution(id);
    const [first] = checked.findings;
    if (first !== undefined)
      throw new StoreFault("STORE_CORRUPT", `the execution ${id} stays set aside: ${first.code} ${first.message}`);
    if (await store.release(toExecutionId(id))) await this.#goOn(checked);
    await inboxPoller.redeliver(toExecutionId(id));
    await executions.untilCommitted();
  }

  async #goOn({ id, rebuilt }: CheckedExecution): Promise<void> {
    if (!isTerminalStatus(rebuilt!.projection.status)) await this.#ports.executions.claim(id);
  }

  /** The execution as lines of JSON. */
  async *export(id: string): AsyncGenerator<string> {
    if ((await this.#ports.store.load(toExecutionId(id))) === undefined) throw unknownExecution(id);
    yield* exportExecution(this.#ports.store, toExecutionId(id));
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
    if (store.remove === undefined) throw unsupportedError("remove executions");
    await store.remove(toExecutionId(id));
  }

  /** Removes what an execution that has ended was given and gave, and what its steps wrote; its chain still verifies. */
  async removePayloads(id: string): Promise<void> {
    const { store } = this.#ports;
    await this.#assertEnded(id);
    if (store.removePayloads === undefined) throw unsupportedError("remove payloads");
    await store.removePayloads(toExecutionId(id), withoutPayloads, this.#ports.environment.now());
  }

  async #assertEnded(id: string): Promise<void> {
    const { store, executions } = this.#ports;
    this.#ports.assertOwner();
    const loaded = await store.load(toExecutionId(id));
    if (loaded === undefined) throw unknownExecution(id);
    const isEnded = loaded.kind === "unreadable" || isTerminalStatus(loaded.projection.status);
    if (!isEnded || executions.live(toExecutionId(id)) !== undefined)
      throw new SegnoError("EXECUTION_UNFINISHED", `the execution ${id} has not ended; cancel it first`);
  }

  /** Gives back the room that removed executions left. */
  async vacuum(): Promise<void> {
    if (this.#ports.store.vacuum === undefined) throw unsupportedError("be made smaller");
    await this.#ports.store.vacuum();
  }

  /** Writes a consistent copy of the store to a file that must not exist. */
  async backup(file: string): Promise<void> {
    if (!isText(file)) throw invalidOption("file", "the path of a file", file);
    if (this.#ports.store.backup === undefined) throw unsupportedError("be copied to a file");
    await this.#ports.store.backup(file);
  }
}

/** A text gives its characters one by one, and they are no lines. */
function isLines(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function unsupportedError(what: string): SegnoError {
  return new SegnoError("STORE_UNSUPPORTED", `this store cannot ${what}`);
}
