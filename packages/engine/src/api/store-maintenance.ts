// Store maintenance: verify, export, import, remove and back up (JOURNAL-4, JOURNAL-7).

import { isTerminalStatus, SegnoError, type ExecutionId } from "@segno/kernel";
import type { ArtifactFolder } from "../artifacts/artifact-folder.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Executions } from "../executions/executions.ts";
import type { CheckedExecution } from "./checking/execution-check.ts";
import type { Finding } from "./checking/finding.ts";
import { checkImport } from "./checking/import-check.ts";
import { checkExecution, checkStore, type CheckedPart } from "./checking/store-check.ts";
import type { InboxPoller } from "../inbox/inbox-poller.ts";
import { toExecutionId } from "../checks/names.ts";
import type { Keys } from "../idempotency/keys.ts";
import { invalidOption } from "../checks/option-error.ts";
import { isText } from "../checks/option-rules.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { exportExecution, importExecution } from "../journal/transfer.ts";
import { withoutPayloads } from "../journal/block-encoding.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

export interface StoreMaintenancePorts {
  readonly access: StoreAccess;
  readonly environment: SystemPorts;
  readonly executions: Executions;
  readonly inboxPoller: InboxPoller;
  readonly keys: Keys;
  readonly artifacts: ArtifactFolder;
}

/** The result of `engine.verify`. */
export interface Verification {
  readonly ok: boolean;
  readonly events: number;
  /** All findings. */
  readonly findings: readonly Finding[];
  /** The reason of the quarantine, where the execution is quarantined. */
  readonly quarantined?: string;
  /** The reason for the quarantine, or else the first finding. */
  readonly reason?: string;
}

export class StoreMaintenance {
  readonly #ports: StoreMaintenancePorts;
  readonly #store: EngineStore;

  constructor(ports: StoreMaintenancePorts) {
    this.#ports = ports;
    this.#store = ports.access.store;
  }

  /** Checks one execution: its journal, the bodies that the journal names, and its row in the store. */
  async verify(id: string): Promise<Verification> {
    const store = this.#store;
    if (store.examine === undefined) throw unsupportedError("be checked");
    const checked = await checkExecution(store, toExecutionId(id), this.#ports.artifacts);
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

  /** Checks the whole store and yields findings as it goes. */
  check(): AsyncGenerator<CheckedPart> {
    return checkStore(this.#store, this.#ports.artifacts);
  }

  /** Checks a quarantined execution and continues it if the check finds no damage. */
  async recover(id: string): Promise<void> {
    const { access, executions, inboxPoller } = this.#ports;
    const store = this.#store;
    access.assertOwner();
    if (store.release === undefined) throw unsupportedError("recover executions");
    await store.reopen?.();
    const checked = await checkExecution(store, toExecutionId(id));
    if (checked === undefined) throw unknownExecution(id);
    const [first] = checked.findings;
    if (first !== undefined)
      throw new StoreFault("STORE_CORRUPT", `the execution ${id} stays quarantined: ${first.code} ${first.message}`);
    if (await store.release(toExecutionId(id))) {
      await this.#continue(checked);
      await inboxPoller.redeliver(toExecutionId(id));
    }
    await executions.untilCommitted();
  }

  async #continue({ id, rebuilt }: CheckedExecution): Promise<void> {
    if (!isTerminalStatus(rebuilt!.projection.status)) await this.#ports.executions.claim(id);
  }

  /** Exports an execution as lines of JSON. */
  async *export(id: string): AsyncGenerator<string> {
    if ((await this.#store.load(toExecutionId(id))) === undefined) throw unknownExecution(id);
    yield* exportExecution(this.#store, toExecutionId(id));
  }

  /** Imports an exported execution. If it has not ended, this engine continues it. */
  async import(lines: AsyncIterable<string> | Iterable<string>): Promise<ExecutionId> {
    this.#ports.access.assertOwner();
    if (!isLines(lines))
      throw invalidOption("lines", "a list, an iterable or an async iterable of the lines of an export", lines);
    if (this.#store.keepsExecutions === false) throw unsupportedError("import executions");
    const id = await importExecution(this.#store, lines, { check: checkImport, keys: this.#ports.keys });
    const loaded = await this.#store.load(id);
    if (loaded?.kind === "execution" && !isTerminalStatus(loaded.projection.status))
      await this.#ports.executions.claim(id);
    return id;
  }

  /** Removes an ended execution with all its data. */
  async remove(id: string): Promise<void> {
    const store = this.#store;
    await this.#assertEnded(id);
    if (store.remove === undefined) throw unsupportedError("remove executions");
    await store.remove(toExecutionId(id));
    await this.#ports.artifacts.remove(id);
  }

  /** Removes the input, the values, the artifacts and the logs of an ended execution. Its hash chain still verifies. */
  async removePayloads(id: string): Promise<void> {
    const store = this.#store;
    await this.#assertEnded(id);
    if (store.removePayloads === undefined) throw unsupportedError("remove payloads");
    await store.removePayloads(toExecutionId(id), withoutPayloads, this.#ports.environment.now());
    await this.#ports.artifacts.remove(id);
  }

  async #assertEnded(id: string): Promise<void> {
    const { access, executions } = this.#ports;
    const store = this.#store;
    access.assertOwner();
    const loaded = await store.load(toExecutionId(id));
    if (loaded === undefined) throw unknownExecution(id);
    const isEnded = loaded.kind === "unreadable" || isTerminalStatus(loaded.projection.status);
    if (!isEnded || executions.live(toExecutionId(id)) !== undefined)
      throw new SegnoError("EXECUTION_UNFINISHED", `the execution ${id} has not ended; cancel it first`);
  }

  /** Frees the disk space of removed executions. */
  async vacuum(): Promise<void> {
    this.#ports.access.assertOwner();
    if (this.#store.vacuum === undefined) throw unsupportedError("be made smaller");
    await this.#store.vacuum();
  }

  /** Writes a consistent copy of the store to a new file. */
  async backup(file: string): Promise<void> {
    if (!isText(file)) throw invalidOption("file", "the path of a file", file);
    if (this.#store.backup === undefined) throw unsupportedError("be copied to a file");
    await this.#store.backup(file);
  }
}

/** A string is iterable, but it yields characters, not lines. */
function isLines(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function unsupportedError(what: string): SegnoError {
  return new SegnoError("STORE_UNSUPPORTED", `this store cannot ${what}`);
}
