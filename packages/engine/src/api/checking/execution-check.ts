// Checking one execution: its journal, what the journal names, and what the store says about it without reading it.
//
//   C1. The journal is the truth: its blocks have to fit their hashes and each other. What the projection says has to
//       follow from it, column by column; so does the id.
//   C2. Everything that the journal names is there and is what its hash says: definitions always, values unless the
//       payloads of the execution were removed.
//   C3. A journal that is shorter than the projection says has lost rows. Nothing can be made from it that is true, so no
//       projection is given back for it.
//   C4. Nothing but this one execution is in memory, and of its values only a few at a time.

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
import type { Examination } from "../../store/store-admin.ts";
import type { IdempotencyEntry, Projection, Store } from "../../store/store.ts";
import { toProjection, wakeAt } from "../../turn/projection.ts";
import { DefinitionCheck } from "./definition-check.ts";
import { finding, type Finding } from "./finding.ts";
import { checkPayloadRemoval, checkValues, payloadIn } from "./value-check.ts";

/** What the store should say about an execution, as its journal has it. */
export interface Rebuilt {
  readonly id: ExecutionId;
  readonly projection: Projection;
  readonly idempotency: IdempotencyEntry | undefined;
  /** False where the store says that payloads were removed, and they are there. */
  readonly arePayloadsRemoved: boolean;
}

export interface CheckedExecution {
  readonly kind: "execution";
  readonly id: ExecutionId;
  readonly workflow: string;
  readonly events: number;
  /** Rows of the journal that belong to it. */
  readonly rows: number;
  readonly findings: readonly Finding[];
  /** Why it was quarantined, if it was. */
  readonly quarantined?: string;
  /** Absent where the journal cannot be trusted. */
  readonly rebuilt?: Rebuilt;
}

export class ExecutionCheck {
  readonly #store: Pick<Store, "contents">;
  readonly #definitions: DefinitionCheck;

  constructor(store: Pick<Store, "contents">) {
    this.#store = store;
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

  /** The journal itself is sound. */
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
    return { findings: [...values, ...contradictions(examined, rebuilt)], rebuilt };
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
    };
  }

  /** A key is forgotten some time after the end, so one that has ended need not have it any more (IDEM-1, IDEM-3). */
  async #idempotency({ id, idempotency }: Examination, state: State): Promise<IdempotencyEntry | undefined> {
    const { key, workflow, input } = state.created!;
    if (key === undefined || (idempotency === undefined && isTerminalStatus(state.base))) return undefined;
    const payload = await payloadIn(this.#store, id, workflow, input);
    // A payload that was removed leaves nothing to compare with.
    return { key, payload: payload ?? idempotency?.payload ?? ("" as ContentHash) };
  }
}

/**
 * When the execution is due. The journal does not say which steps have asked for a slot, nor what was thought about without
 * an event. So a running execution with a ready step is due at once, and one in which something may follow may be.
 */
function wakeTime({ projection }: Examination, state: State): EpochMs | null {
  if (state.base === "running" && state.hold === undefined && hasReadyStep(state)) return state.at;
  return hasWork(state) && projection.wakeAt === state.at ? state.at : wakeAt({ state });
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

/** C3. A head that is the last block's says that the journal is whole, whatever the count next to it says. */
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
    ["payloadsRemovedAt", payloadsRemovedAt !== undefined, rebuilt.arePayloadsRemoved],
  ];
  const wrong = pairs.filter(([, said, follows]) => said !== follows);
  if (wrong.length > 0)
    return wrong.map(([name, said, follows]) =>
      finding("PROJECTION_WRONG", `\`${name}\` is ${showValue(said)}; its journal gives ${showValue(follows)}`),
    );
  return damage === undefined ? [] : [finding("PROJECTION_WRONG", `its rows are linked wrongly: ${damage}`)];
}

function projectionValue(projection: Projection, name: string): unknown {
  return (projection as unknown as Readonly<Record<string, unknown>>)[name];
}

function showValue(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
