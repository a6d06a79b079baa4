import type { ContentHash, EpochMs, ExecutionId, ExecutionStatus } from "@segno/kernel";
import type { Codec } from "../codec.ts";
import { containsText } from "../contained-text.ts";
import type { StoredHead } from "../fence.ts";
import type { StoredRow } from "../log-rows.ts";
import type { ProgressRow } from "../step-progress.ts";
import type { Examination } from "../store-admin.ts";
import type { Append, Block, IdempotencyEntry, LastBlock, LoadResult, Projection, Query, Summary } from "../store.ts";

const ENDED: ReadonlySet<ExecutionStatus> = new Set<ExecutionStatus>(["completed", "failed", "cancelled"]);

export const isEnded = (status: ExecutionStatus): boolean => ENDED.has(status);

export class MemoryExecution {
  readonly id: ExecutionId;
  /** The position in the order of creation. */
  readonly position: number;
  readonly values: Map<ContentHash, string> = new Map();
  readonly logs: StoredRow[] = [];
  /** By step. */
  readonly progress: Map<string, ProgressRow> = new Map();
  epoch: number;
  projection: Projection;
  idempotency: IdempotencyEntry | undefined;
  quarantined: string | undefined;
  payloadsRemovedAt: EpochMs | undefined;
  #blocks: Block[] = [];

  constructor(position: number, { execution, epoch, projection, idempotency }: Append) {
    this.id = execution;
    this.position = position;
    this.epoch = epoch;
    this.projection = projection;
    this.idempotency = idempotency;
  }

  storedHead(): StoredHead {
    const { epoch, quarantined, payloadsRemovedAt } = this;
    return { seq: this.projection.seq, epoch, quarantined, payloadsRemovedAt };
  }

  append({ epoch, block, projection, values, payloadsRemovedAt }: Append, codec: Codec): void {
    this.epoch = epoch;
    this.payloadsRemovedAt = payloadsRemovedAt;
    this.projection = projection;
    if (block !== undefined) this.#blocks.push({ ...block, body: codec.encode(block.body) });
    for (const { hash, body } of values) if (!this.values.has(hash)) this.values.set(hash, codec.encode(body));
  }

  load(codec: Codec): LoadResult {
    const { id, epoch, projection, quarantined, payloadsRemovedAt } = this;
    if (quarantined !== undefined)
      return { kind: "unreadable", id, reason: `quarantined: ${quarantined}`, isQuarantined: true };
    const removed = payloadsRemovedAt === undefined ? {} : { payloadsRemovedAt };
    return { kind: "execution", id, epoch, projection, blocks: this.#decodeBlocks(codec), ...removed };
  }

  loadLast(codec: Codec): LastBlock | undefined {
    const [last, before] = [this.#blocks.at(-1), this.#blocks.at(-2)];
    if (last === undefined || this.quarantined !== undefined) return undefined;
    const block = { ...last, body: codec.decode(last.body) };
    const { projection, payloadsRemovedAt } = this;
    const removed = payloadsRemovedAt === undefined ? {} : { payloadsRemovedAt };
    return { projection, block, previousHash: before?.hash ?? "", ...removed };
  }

  examine(codec: Codec): Examination {
    return { ...this.summary(), blocks: this.#decodeBlocks(codec) };
  }

  #decodeBlocks(codec: Codec): readonly Block[] {
    return this.#blocks.map((block) => ({ ...block, body: codec.decode(block.body) }));
  }

  removeLogs(): void {
    this.logs.length = 0;
    this.progress.clear();
  }

  removePayloads(redact: (body: string) => string, codec: Codec, at: EpochMs): void {
    this.payloadsRemovedAt ??= at;
    this.values.clear();
    this.removeLogs();
    this.#blocks = this.#blocks.map((block) => ({ ...block, body: codec.encode(redact(codec.decode(block.body))) }));
  }

  /**
   * IDEM-1: the keys of failed and cancelled executions expire at once, those of completed ones after their retention
   * time.
   */
  isKeyExpired(before: EpochMs): boolean {
    const { status, updatedAt } = this.projection;
    if (this.idempotency === undefined || !isEnded(status)) return false;
    return status !== "completed" || updatedAt < before;
  }

  summary(): Summary {
    const { id, epoch, projection, idempotency, quarantined, payloadsRemovedAt } = this;
    return {
      id,
      epoch,
      projection,
      ...(idempotency === undefined ? {} : { idempotency }),
      ...(quarantined === undefined ? {} : { quarantined }),
      ...(payloadsRemovedAt === undefined ? {} : { payloadsRemovedAt }),
    };
  }
}

export function matches({ id, projection, quarantined }: MemoryExecution, query: Query): boolean {
  const { status, workflow, correlationId, dueBy, since, until, labels = [], text } = query;
  if (since !== undefined && projection.createdAt < since) return false;
  if (until !== undefined && projection.createdAt >= until) return false;
  if (!labels.every((label) => projection.labels?.includes(label) === true)) return false;
  if (text !== undefined && !containsText(text, [id, projection.workflow, projection.failure ?? ""])) return false;
  if (status !== undefined && !status.includes(projection.status)) return false;
  if (workflow !== undefined && workflow !== projection.workflow) return false;
  if (correlationId !== undefined && correlationId !== projection.correlationId) return false;
  return dueBy === undefined || (projection.wakeAt !== null && projection.wakeAt <= dueBy && quarantined === undefined);
}
