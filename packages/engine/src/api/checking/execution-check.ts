// Checks one execution: its journal, the bodies that the journal names, and its row in the store.
//
//   C1. The journal is the truth: its blocks match their hashes and form one chain. Every column of the projection, and
//       the id, must follow from the journal.
//   C2. Every definition that the journal names exists and matches its hash. So does every value, unless the payloads
//       of the execution were removed.
//   C3. A journal that is shorter than the projection says has lost rows. No true projection can be rebuilt from it, so
//       the check returns none.
//   C4. Memory holds only this one execution, and only a few of its values at a time.

import {
  createState,
  foldAll,
  hasReadyStep,
  hasWork,
  isTerminalStatus,
  type ContentHash,
  type EpochMs,
  type Event,
  type ExecutionId,
  type State,
} from "@segno/kernel";
import { definitionsIn } from "../../executions/journals.ts";
import { readBlocks } from "../../journal/read-journal.ts";
import { EPOCH_AFTER_REPAIR, isEpoch } from "../../store/epoch.ts";
import type { Examination } from "../../store/store-admin.ts";
import type { IdempotencyEntry, Projection, Store } from "../../store/store.ts";
import { toProjection, computeWakeAt } from "../../turn/projection.ts";
import { checkArtifacts, type CheckableArtifacts } from "./artifact-check.ts";
import { DefinitionCheck } from "./definition-check.ts";
import { finding, type Finding } from "./finding.ts";
import { checkPayloadRemoval, checkValues, payloadIn } from "./value-check.ts";

/** The row that the store should have for an execution, rebuilt from its journal. */
export interface Rebuilt {
  readonly id: ExecutionId;
  readonly projection: Projection;
  readonly idempotency: IdempotencyEntry | undefined;
  /** False if the store says that payloads were removed but they still exist. */
  readonly arePayloadsRemoved: boolean;
  /** Present if the stored epoch is not one. No journal records the epoch. */
  readonly epoch?: number;
}

/** The result of checking one execution of a store. */
export interface CheckedExecution {
  readonly kind: "execution";
  readonly id: ExecutionId;
  readonly workflow: string;
  readonly events: number;
  /** Journal rows that belong to the execution. */
  readonly rows: number;
  readonly findings: readonly Finding[];
  /** The reason for a quarantine, if the execution is quarantined. */
  readonly quarantined?: string;
  /** Absent if the journal cannot be trusted. */
  readonly rebuilt?: Rebuilt;
}

export class ExecutionCheck {
  readonly #store: Pick<Store, "contents">;
  readonly #definitions: DefinitionCheck;
  readonly #artifacts: CheckableArtifacts | undefined;

  /** Without artifacts, the files beside the journal are not checked. */
  constructor(store: Pick<Store, "contents">, artifacts?: CheckableArtifacts) {
    this.#store = store;
    this.#artifacts = artifacts;
    this.#definitions = new DefinitionCheck(store);
  }

  async check(examined: Examination): Promise<CheckedExecution> {
    const { id, blocks, projection, quarantined } = examined;
    const read = readBlocks(blocks);
    const events = read.kind === "journal" ? read.events : [];
    const lost = read.kind === "journal" ? lostRows(examined, read) : finding(damageCode(read.kind), read.reason);
    const rest = lost === undefined && read.kind === "journal" ? await this.#checkRead(examined, read) : undefined;
    return {
      kind: "execution",
      id,
      workflow: projection.workflow,
      events: events.length,
      rows: blocks.length,
      findings: lost === undefined ? rest!.findings : [lost],
      ...(quarantined === undefined ? {} : { quarantined }),
      ...(rest?.rebuilt === undefined ? {} : { rebuilt: rest.rebuilt }),
    };
  }

  /** Called once the journal itself is known to be sound. */
  async #checkRead(examined: Examination, { events, head }: Journal): Promise<CheckedExecutionParts> {
    const [created] = events;
    if (created?.kind !== "execution.created")
      return { findings: [finding("JOURNAL_DAMAGED", "the journal does not begin with the creation of an execution")] };
    const { definition } = created;
    const damage = await this.#definitions.check(definitionsIn(definition, events));
    const values = await checkValues(this.#store, examined);
    if (damage.length > 0) return { findings: [...damage, ...values] };
    const state = this.#fold(definition, events);
    if (typeof state === "string") return { findings: [finding("JOURNAL_DAMAGED", state), ...values] };
    const rebuilt = await this.#rebuilt(examined, state, head);
    const files = await this.#checkFiles(examined, state);
    return { findings: [...values, ...contradictions(examined, rebuilt), ...files], rebuilt };
  }

  async #checkFiles({ payloadsRemovedAt }: Examination, state: State): Promise<readonly Finding[]> {
    if (this.#artifacts === undefined || payloadsRemovedAt !== undefined) return [];
    return checkArtifacts(state, this.#artifacts);
  }

  #fold(definition: ContentHash, events: readonly Event[]): State | string {
    const { programs } = this.#definitions;
    try {
      return foldAll(createState(programs.get(definition)!, programs), events);
    } catch (error) {
      return `its events contradict each other: ${(error as Error).message}`;
    }
  }

  async #rebuilt(examined: Examination, state: State, head: string): Promise<Rebuilt> {
    const { execution, definition, priority = 0 } = state.created!;
    return {
      id: execution,
      projection: { ...toProjection({ state, definition, priority }, head), wakeAt: wakeTime(examined, state) },
      idempotency: await this.#idempotency(examined, state),
      arePayloadsRemoved: examined.payloadsRemovedAt !== undefined && checkPayloadRemoval(examined),
      ...(isEpoch(examined.epoch) ? {} : { epoch: EPOCH_AFTER_REPAIR }),
    };
  }

  /** A key expires some time after the end, so an execution that has ended, or did before a retry, may lack it (IDEM-3). */
  async #idempotency({ id, idempotency }: Examination, state: State): Promise<IdempotencyEntry | undefined> {
    const { key, workflow, input } = state.created!;
    const hasEnded = isTerminalStatus(state.baseStatus) || state.round > 1;
    if (key === undefined || (idempotency === undefined && hasEnded)) return undefined;
    const payload = await payloadIn(this.#store, id, workflow, input);
    // A removed payload leaves nothing to compare with.
    return { key, payload: payload ?? idempotency?.payload ?? ("" as ContentHash) };
  }
}

/**
 * The time at which the execution is due. The journal does not record which steps have asked for a slot, nor decisions
 * that produced no event. So a running execution with a ready step is due at once, and one that may still advance may
 * be due at once.
 */
function wakeTime({ projection }: Examination, state: State): EpochMs | null {
  if (state.baseStatus === "running" && state.hold === undefined && hasReadyStep(state)) return state.at;
  return hasWork(state) && projection.wakeAt === state.at ? state.at : computeWakeAt({ state });
}

interface Journal {
  readonly events: readonly Event[];
  readonly head: string;
}

interface CheckedExecutionParts {
  readonly findings: readonly Finding[];
  readonly rebuilt?: Rebuilt;
}

function damageCode(kind: "unreadable" | "newer"): "JOURNAL_DAMAGED" | "STORE_VERSION" {
  return kind === "newer" ? "STORE_VERSION" : "JOURNAL_DAMAGED";
}

/** C3. If the head is the hash of the last block, the journal is complete, whatever the row count says. */
function lostRows({ projection: { seq, head }, damage }: Examination, journal: Journal): Finding | undefined {
  const { length } = journal.events;
  if (journal.head === head || seq <= length) return undefined;
  const where = damage === undefined ? "" : ` (${damage})`;
  return finding("JOURNAL_DAMAGED", `events ${length + 1} to ${seq} are missing${where}`);
}

function contradictions(examined: Examination, rebuilt: Rebuilt): readonly Finding[] {
  const { id, projection, idempotency, damage, payloadsRemovedAt } = examined;
  const pairs: readonly (readonly [name: string, said: unknown, follows: unknown])[] = [
    ["id", id, rebuilt.id],
    ...Object.entries(rebuilt.projection).map(
      ([name, follows]) => [name, projectionValue(projection, name), follows] as const,
    ),
    ["idempotencyKey", idempotency?.key, rebuilt.idempotency?.key],
    ["idempotencyPayload", idempotency?.payload, rebuilt.idempotency?.payload],
    ["payloadsRemovedAt", removalSaid(payloadsRemovedAt), rebuilt.arePayloadsRemoved],
  ];
  const wrong = [
    ...pairs
      .filter(([, said, follows]) => said !== follows)
      .map(([name, said, follows]) => `\`${name}\` is ${showValue(said)}; its journal gives ${showValue(follows)}`),
    ...(rebuilt.epoch === undefined ? [] : [`\`epoch\` is ${showValue(examined.epoch)}, which is not a count`]),
  ];
  if (wrong.length > 0) return wrong.map((message) => finding("PROJECTION_WRONG", message));
  return damage === undefined
    ? []
    : [finding("PROJECTION_WRONG", `its journal rows are linked incorrectly: ${damage}`)];
}

/** Whether payloads were removed, or a stored value that is not a time. */
function removalSaid(at: EpochMs | undefined): unknown {
  return at === undefined || Number.isSafeInteger(at) ? at !== undefined : at;
}

function projectionValue(projection: Projection, name: string): unknown {
  return (projection as unknown as Readonly<Record<string, unknown>>)[name];
}

function showValue(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
