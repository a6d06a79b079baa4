// The memory store, for tests, for simulation and for engines that need no disk.
//
// It fulfils the whole store port except durability: the data is gone when the process ends.
//
//   M1. A batch is checked completely before any of it is written, so a refused batch has no effect (K1).
//   M2. Blocks and bodies are stored as strings, so a caller cannot mutate stored data.

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { executionExists } from "../../checks/execution-exists.ts";
import { PLAIN, type Codec } from "../codec.ts";
import { cursorOffset } from "../cursor.ts";
import type { DocumentStore } from "../document-store.ts";
import { checkMessage, Fence, type StoredHead } from "../fence.ts";
import { inboxFull } from "../inbox-full.ts";
import { linesIn, encodeLogRows, type StoredRow } from "../log-rows.ts";
import type { ProcessEntry, ProcessRecords } from "../process-records.ts";
import type { LogRequest, NewLogs, StepLogs, StoredLine } from "../step-logs.ts";
import { decodeProgress, type StepProgress } from "../step-progress.ts";
import type { Examination, StoreAdmin } from "../store-admin.ts";
import { StoreFault } from "../store-fault.ts";
import type {
  Append,
  CommitBatch,
  Content,
  ContentRequest,
  LastBlock,
  LoadResult,
  MessageId,
  NewMessage,
  Page,
  Poll,
  PollQuery,
  Query,
  Store,
} from "../store.ts";
import { binarySearch } from "./binary-search.ts";
import { isEnded, matches, MemoryExecution } from "./memory-execution.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { MemoryInbox } from "./memory-inbox.ts";

export interface MemoryStoreOptions {
  readonly codec?: Codec;
}

/** A newly admitted execution is not quarantined and has its payloads. */
const NOT_MARKED = { quarantined: undefined, payloadsRemovedAt: undefined } as const;
/** The list is compacted only beyond this number of removed executions. */
const SPENT_MAX = 64;

export class MemoryStore implements Store, StoreAdmin, StepLogs, ProcessRecords {
  readonly documents: DocumentStore;
  readonly #codec: Codec;
  readonly #executions = new Map<ExecutionId, MemoryExecution>();
  readonly #definitions = new Map<ContentHash, string>();
  readonly #inbox = new MemoryInbox();
  /** Executions in order of creation. The list is compacted when most of its entries are removed. */
  #inOrder: MemoryExecution[] = [];
  /** Executions that hold a key, in order of creation. */
  readonly #byKey = new Map<string, MemoryExecution[]>();
  /** The ended executions to remove next, oldest last. It is refilled when it is empty. */
  #oldest: MemoryExecution[] = [];
  readonly #processes = new Map<string, ProcessEntry>();
  #lastPosition = 0;
  #lastLine = 0;
  #isClosed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#codec = options.codec ?? PLAIN;
    this.documents = new MemoryDocuments(this.#codec, () => this.#checkOpen());
  }

  async commit(batch: CommitBatch): Promise<void> {
    this.#checkOpen();
    this.#check(batch);
    for (const append of batch.appends) this.#write(append);
    for (const id of batch.consumedMessages) this.#inbox.delete(id);
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.#checkOpen();
    return this.#executions.get(id)?.load(this.#codec);
  }

  async loadLast(id: ExecutionId): Promise<LastBlock | undefined> {
    this.#checkOpen();
    return this.#executions.get(id)?.loadLast(this.#codec);
  }

  async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    this.#checkOpen();
    const bodies = this.#bodies(request);
    const contents = new Map<ContentHash, string>();
    for (const hash of request.hashes) {
      const body = bodies?.get(hash);
      if (body !== undefined) contents.set(hash, this.#codec.decode(body));
    }
    return contents;
  }

  async find(query: Query): Promise<Page> {
    this.#checkOpen();
    const after = cursorOffset(query.cursor);
    if (query.idempotencyKey !== undefined) return this.#newest(query, after);
    const executions: MemoryExecution[] = [];
    for (
      let index = binarySearch(this.#inOrder, ({ position }) => position > after);
      index < this.#inOrder.length;
      index++
    ) {
      const execution = this.#inOrder[index]!;
      if (!this.#isStored(execution) || !matches(execution, query)) continue;
      // The search found one more than the limit, so there is a next page.
      if (executions.length === query.limit) return toPage(executions, String(executions.at(-1)?.position ?? after));
      executions.push(execution);
    }
    return toPage(executions);
  }

  async post(message: NewMessage, waitingMax: number = Infinity): Promise<MessageId> {
    this.#checkOpen();
    checkMessage(message);
    const same = message.isStart === true ? this.#sameStart(message) : undefined;
    if (same !== undefined) return same;
    if (this.#inbox.waiting(message.execution) >= waitingMax) throw inboxFull(message.execution, waitingMax);
    this.#keepDefinitions(message.definitions ?? []);
    const id = this.#inbox.nextId();
    const { execution, body, postedAt, isStart } = message;
    const stored = { id, execution, body: this.#codec.encode(body), postedAt };
    this.#inbox.add(isStart === true ? { ...stored, isStart } : stored);
    return id;
  }

  /** The id of the same start that is already posted. Refuses a start whose id is taken (K12). */
  #sameStart({ execution, body }: NewMessage): MessageId | undefined {
    const posted = this.#inbox.startOf(execution);
    if (posted !== undefined && this.#codec.decode(posted.body) === body) return posted.id;
    if (posted !== undefined || this.#executions.has(execution)) throw executionExists(execution);
    return undefined;
  }

  async poll(query: PollQuery = {}): Promise<Poll> {
    this.#checkOpen();
    const messages = this.#inbox.select(query).map((message) => ({
      ...message,
      body: this.#codec.decode(message.body),
    }));
    return { messages };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  async quarantine(id: ExecutionId, reason: string): Promise<void> {
    this.#checkOpen();
    const execution = this.#executions.get(id);
    if (execution !== undefined) execution.quarantined = reason;
  }

  async release(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    const execution = this.#executions.get(id);
    if (execution?.quarantined === undefined) return false;
    execution.quarantined = undefined;
    return true;
  }

  async examine(id: ExecutionId): Promise<Examination | undefined> {
    this.#checkOpen();
    return this.#executions.get(id)?.examine(this.#codec);
  }

  async removeEnded(before: EpochMs, limit: number): Promise<number> {
    this.#checkOpen();
    let removed = 0;
    for (; removed < limit; removed++) {
      const old = this.#nextOld(before);
      if (old === undefined) break;
      this.#remove(old.id);
    }
    return removed;
  }

  async remove(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    return this.#remove(id);
  }

  async removePayloads(id: ExecutionId, redact: (body: string) => string, at: EpochMs): Promise<boolean> {
    this.#checkOpen();
    const execution = this.#executions.get(id);
    execution?.removePayloads(redact, this.#codec, at);
    return execution !== undefined;
  }

  async sweepKeys(before: EpochMs, limit: number = Infinity): Promise<number> {
    this.#checkOpen();
    let count = 0;
    for (const holders of this.#byKey.values())
      for (const execution of holders) {
        if (count === limit) return count;
        if (!execution.isKeyExpired(before)) continue;
        this.#removeKey(execution);
        count++;
      }
    return count;
  }

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.#checkOpen();
    for (const one of logs) {
      const kept = this.#executions.get(one.execution);
      if (kept === undefined) continue;
      const { rows, progress } = encodeLogRows(one, this.#codec);
      for (const row of rows) kept.logs.push({ ...row, last: (this.#lastLine += row.count) });
      for (const row of progress) kept.progress.set(row.step, row);
    }
  }

  async readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    this.#checkOpen();
    const rows = this.#executions.get(request.execution)?.logs ?? [];
    const first = binarySearch(rows, ({ last }) => last > (request.after ?? 0));
    return linesIn(rowsFrom(rows, first), request, this.#codec);
  }

  async readProgress(execution: ExecutionId): Promise<readonly StepProgress[]> {
    this.#checkOpen();
    const rows = [...(this.#executions.get(execution)?.progress.values() ?? [])];
    return decodeProgress(
      rows.toSorted((left, right) => (left.step < right.step ? -1 : 1)),
      this.#codec,
    );
  }

  async removeLogs(before: EpochMs, limit: number = Infinity): Promise<number> {
    this.#checkOpen();
    const old = [...this.#executions.values()]
      .filter(
        (one) =>
          one.logs.length + one.progress.size > 0 &&
          isEnded(one.projection.status) &&
          one.projection.updatedAt < before,
      )
      .toSorted((left, right) => left.projection.updatedAt - right.projection.updatedAt)
      .slice(0, limit);
    for (const one of old) one.removeLogs();
    return old.length;
  }

  async noteProcess({ marker, pid, startTime }: ProcessEntry): Promise<void> {
    this.#checkOpen();
    this.#processes.set(marker, { marker, pid, startTime });
  }

  async forgetProcess(marker: string): Promise<void> {
    this.#checkOpen();
    this.#processes.delete(marker);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    this.#checkOpen();
    return [...this.#processes.values()].toSorted((left, right) => (left.marker < right.marker ? -1 : 1));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreFault("STORE_CLOSED", "the store was closed; open it again to use it");
  }

  #check({ appends, consumedMessages }: CommitBatch): void {
    const fence = new Fence();
    const posts = new Map<ExecutionId, StoredHead>();
    const holders = new Map<string, ExecutionId>();
    const gone = new Set(consumedMessages);
    for (const append of appends) {
      const post = posts.get(append.execution) ?? this.#executions.get(append.execution)?.storedHead();
      const { key } = append.idempotency ?? {};
      const holder = key === undefined ? undefined : (holders.get(key) ?? this.#keyHolder(key)?.id);
      const start = append.afterSeq === 0 ? this.#inbox.startOf(append.execution) : undefined;
      const rivals = { keyHolder: holder, isStartPosted: start !== undefined && !gone.has(start.id) };
      if (!fence.admits(append, post, rivals) || appends.length === 1) continue;
      posts.set(append.execution, { ...NOT_MARKED, seq: append.projection.seq, epoch: append.epoch });
      if (key !== undefined) holders.set(key, append.execution);
    }
    const once = new Set<MessageId>();
    for (const id of consumedMessages) {
      if (once.has(id) || !this.#inbox.has(id)) fence.rejectMessage(id);
      once.add(id);
    }
    fence.close();
  }

  #write(append: Append): void {
    this.#keepDefinitions(append.definitions);
    let execution = this.#executions.get(append.execution);
    if (execution === undefined) {
      execution = new MemoryExecution(++this.#lastPosition, append);
      this.#executions.set(append.execution, execution);
      this.#inOrder.push(execution);
      this.#addKey(execution);
    }
    execution.append(append, this.#codec);
    // This execution ended earlier than the ones in the list.
    if (this.#oldest.length > 0 && append.projection.updatedAt < this.#oldest[0]!.projection.updatedAt)
      this.#oldest = [];
  }

  #keepDefinitions(definitions: readonly Content[]): void {
    for (const { hash, body } of definitions)
      if (!this.#definitions.has(hash)) this.#definitions.set(hash, this.#codec.encode(body));
  }

  #bodies(request: ContentRequest): ReadonlyMap<ContentHash, string> | undefined {
    return request.kind === "definitions" ? this.#definitions : this.#executions.get(request.execution)?.values;
  }

  #newest(query: Query, after: number): Page {
    const newest = query.idempotencyKey === undefined ? undefined : this.#keyHolder(query.idempotencyKey);
    return toPage(newest !== undefined && newest.position > after && matches(newest, query) ? [newest] : []);
  }

  #keyHolder(key: string): MemoryExecution | undefined {
    return this.#byKey.get(key)?.at(-1);
  }

  #isStored(execution: MemoryExecution): boolean {
    return this.#executions.get(execution.id) === execution;
  }

  /** Scans all executions only when the list of the last scan is empty. */
  #nextOld(before: EpochMs): MemoryExecution | undefined {
    const isOld = (one: MemoryExecution): boolean =>
      this.#isStored(one) && isEnded(one.projection.status) && one.projection.updatedAt < before;
    while (this.#oldest.length > 0) {
      const next = this.#oldest.pop()!;
      if (isOld(next)) return next;
    }
    this.#oldest = [...this.#executions.values()]
      .filter(isOld)
      .toSorted(
        (left, right) => right.projection.updatedAt - left.projection.updatedAt || right.position - left.position,
      );
    return this.#oldest.pop();
  }

  #remove(id: ExecutionId): boolean {
    this.#inbox.deleteAll(id);
    const execution = this.#executions.get(id);
    if (execution === undefined) return false;
    this.#removeKey(execution);
    this.#executions.delete(id);
    if (this.#inOrder.length > 2 * this.#executions.size + SPENT_MAX) this.#inOrder = [...this.#executions.values()];
    return true;
  }

  #addKey(execution: MemoryExecution): void {
    const key = execution.idempotency?.key;
    if (key === undefined) return;
    const holders = this.#byKey.get(key);
    if (holders === undefined) this.#byKey.set(key, [execution]);
    else holders.push(execution);
  }

  #removeKey(execution: MemoryExecution): void {
    const key = execution.idempotency?.key;
    if (key === undefined) return;
    execution.idempotency = undefined;
    const holders = (this.#byKey.get(key) ?? []).filter((one) => one !== execution);
    if (holders.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, holders);
  }
}

function toPage(found: readonly MemoryExecution[], cursor?: string): Page {
  const executions = found.map((execution) => execution.summary());
  return cursor === undefined ? { executions } : { executions, cursor };
}

/** A generator, because a page needs few rows. */
function* rowsFrom(rows: readonly StoredRow[], first: number): Generator<StoredRow> {
  for (let index = first; index < rows.length; index++) yield rows[index]!;
}
