// The memory store: the twin of the durable ones, for tests, for simulation and for engines that need no disk.
//
// Job: everything that the port promises, but for durability: it is gone with the process.
//
//   M1. A batch is checked whole before anything of it is written, so a refused one leaves no trace (K1).
//   M2. Blocks and bodies are kept as they came. They are text, so nobody can change what was stored.

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { PLAIN, type Codec } from "../../store/codec.ts";
import { placeOf } from "../../store/cursor.ts";
import { checkMessage, Fence, type FencePost } from "../../store/fence.ts";
import { inboxFull } from "../../store/inbox-full.ts";
import { linesIn, logRowsOf } from "../../store/log-rows.ts";
import type { ProcessEntry, ProcessTable } from "../../store/process-table.ts";
import type { LogRequest, NewLogs, StepLogs, StoredLine } from "../../store/step-logs.ts";
import type { StoreAdmin } from "../../store/store-admin.ts";
import { StoreFault } from "../../store/store-fault.ts";
import type {
  Append,
  Batch,
  Content,
  ContentRequest,
  LoadResult,
  Message,
  MessageId,
  NewMessage,
  Page,
  Poll,
  Query,
  Store,
} from "../../store/store.ts";
import { isEnded, matches, MemoryExecution } from "./memory-execution.ts";

export interface MemoryStoreOptions {
  readonly codec?: Codec;
}

export class MemoryStore implements Store, StoreAdmin, StepLogs, ProcessTable {
  readonly #codec: Codec;
  readonly #executions = new Map<ExecutionId, MemoryExecution>();
  readonly #definitions = new Map<ContentHash, string>();
  readonly #inbox = new Map<MessageId, Message>();
  readonly #processes = new Map<string, ProcessEntry>();
  #lastPlace = 0;
  #lastMessage = 0;
  #lastLine = 0;
  #isClosed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#codec = options.codec ?? PLAIN;
  }

  async commit(batch: Batch): Promise<void> {
    this.#checkOpen();
    this.#check(batch);
    for (const append of batch.appends) this.#write(append);
    for (const id of batch.taken) this.#inbox.delete(id);
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.#checkOpen();
    return this.#executions.get(id)?.load(this.#codec);
  }

  async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    this.#checkOpen();
    const shelf = this.#shelf(request);
    const found = new Map<ContentHash, string>();
    for (const hash of request.hashes) {
      const body = shelf?.get(hash);
      if (body !== undefined) found.set(hash, this.#codec.decode(body));
    }
    return found;
  }

  async find(query: Query): Promise<Page> {
    this.#checkOpen();
    const after = placeOf(query.cursor);
    if (query.idempotencyKey !== undefined) return this.#newest(query, after);
    const found: MemoryExecution[] = [];
    for (const execution of this.#executions.values()) {
      if (execution.place <= after || !matches(execution, query)) continue;
      // One more than asked for has been found: there is a next page.
      if (found.length === query.limit) return pageOf(found, String(found.at(-1)?.place ?? after));
      found.push(execution);
    }
    return pageOf(found);
  }

  async post(message: NewMessage, waitingMax: number = Infinity): Promise<MessageId> {
    this.#checkOpen();
    checkMessage(message);
    if (this.#waiting(message.execution) >= waitingMax) throw inboxFull(message.execution, waitingMax);
    this.#keepDefinitions(message.definitions ?? []);
    const id = ++this.#lastMessage;
    const { execution, body, postedAt } = message;
    this.#inbox.set(id, { id, execution, body: this.#codec.encode(body), postedAt });
    return id;
  }

  async poll(): Promise<Poll> {
    this.#checkOpen();
    const messages = Array.from(this.#inbox.values(), (message) => ({
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

  async removeEnded(before: EpochMs, limit: number): Promise<number> {
    this.#checkOpen();
    const old = [...this.#executions.values()]
      .filter(({ projection }) => isEnded(projection.status) && projection.updatedAt < before)
      .toSorted((left, right) => left.projection.updatedAt - right.projection.updatedAt)
      .slice(0, limit);
    for (const { id } of old) this.#forget(id);
    return old.length;
  }

  async remove(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    return this.#forget(id);
  }

  async removePayloads(id: ExecutionId, redact: (body: string) => string): Promise<boolean> {
    this.#checkOpen();
    const execution = this.#executions.get(id);
    execution?.removePayloads(redact, this.#codec);
    return execution !== undefined;
  }

  async sweepKeys(before: EpochMs): Promise<number> {
    this.#checkOpen();
    const over = [...this.#executions.values()].filter((execution) => execution.isKeyOver(before));
    for (const execution of over) execution.idempotency = undefined;
    return over.length;
  }

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.#checkOpen();
    for (const one of logs) {
      const kept = this.#executions.get(one.execution)?.logs;
      if (kept === undefined) continue;
      for (const row of logRowsOf(one, this.#codec).rows) kept.push({ ...row, last: (this.#lastLine += row.count) });
    }
  }

  async readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    this.#checkOpen();
    return linesIn(this.#executions.get(request.execution)?.logs ?? [], request, this.#codec);
  }

  async removeLogs(before: EpochMs, limit: number = Infinity): Promise<number> {
    this.#checkOpen();
    const old = [...this.#executions.values()]
      .filter((one) => one.logs.length > 0 && isEnded(one.projection.status) && one.projection.updatedAt < before)
      .slice(0, limit);
    for (const { logs } of old) logs.length = 0;
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

  #check({ appends, taken }: Batch): void {
    const fence = new Fence();
    const posts = new Map<ExecutionId, FencePost>();
    const holders = new Map<string, ExecutionId>();
    for (const append of appends) {
      const post = posts.get(append.execution) ?? this.#executions.get(append.execution)?.fencePost();
      const { key } = append.idempotency ?? {};
      const holder = key === undefined ? undefined : (holders.get(key) ?? this.#keyHolder(key)?.id);
      if (!fence.admits(append, post, holder) || appends.length === 1) continue;
      posts.set(append.execution, { seq: append.projection.seq, epoch: append.epoch, quarantined: undefined });
      if (key !== undefined) holders.set(key, append.execution);
    }
    const once = new Set<MessageId>();
    for (const id of taken) {
      if (once.has(id) || !this.#inbox.has(id)) fence.miss(id);
      once.add(id);
    }
    fence.close();
  }

  #waiting(id: ExecutionId): number {
    let count = 0;
    for (const { execution } of this.#inbox.values()) if (execution === id) count++;
    return count;
  }

  #write(append: Append): void {
    this.#keepDefinitions(append.definitions);
    let execution = this.#executions.get(append.execution);
    if (execution === undefined) {
      execution = new MemoryExecution(++this.#lastPlace, append);
      this.#executions.set(append.execution, execution);
    }
    execution.append(append, this.#codec);
  }

  #keepDefinitions(definitions: readonly Content[]): void {
    for (const { hash, body } of definitions)
      if (!this.#definitions.has(hash)) this.#definitions.set(hash, this.#codec.encode(body));
  }

  #shelf(request: ContentRequest): ReadonlyMap<ContentHash, string> | undefined {
    return request.kind === "definitions" ? this.#definitions : this.#executions.get(request.execution)?.values;
  }

  #newest(query: Query, after: number): Page {
    const newest = query.idempotencyKey === undefined ? undefined : this.#keyHolder(query.idempotencyKey);
    return pageOf(newest !== undefined && newest.place > after && matches(newest, query) ? [newest] : []);
  }

  #keyHolder(key: string): MemoryExecution | undefined {
    return [...this.#executions.values()].findLast(({ idempotency }) => idempotency?.key === key);
  }

  #forget(id: ExecutionId): boolean {
    for (const message of this.#inbox.values()) if (message.execution === id) this.#inbox.delete(message.id);
    return this.#executions.delete(id);
  }
}

function pageOf(found: readonly MemoryExecution[], cursor?: string): Page {
  const executions = found.map((execution) => execution.summary());
  return cursor === undefined ? { executions } : { executions, cursor };
}
