// A faulty store: the memory store as one process of a simulated world sees it. Every answer is delayed, and some fail.
//
//   Y1. Every fault is one that the port allows (K1 to K10): a refused call had no effect; a rejected commit or post
//       may have happened, or may happen later.
//   Y2. When a process dies, each of its pending writes is applied completely or not at all, and in order (a torn
//       tail).
//   Y3. Every fault is counted by kind, so that a test can assert which kinds occurred.

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import type { Examination, StoreAdmin } from "../store/store-admin.ts";
import { StoreFault, type StoreFaultCode } from "../store/store-fault.ts";
import type {
  CommitBatch,
  Block,
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
} from "../store/store.ts";
import type { MemoryStore } from "../store/memory/memory-store.ts";
import type { SimulatedEnvironment } from "./simulated-environment.ts";

export const STORE_FAULTS = [
  "commit refused",
  "commit answered wrongly",
  "commit landed late",
  "commit slow",
  "commit survived a crash",
  "commit torn by a crash",
  "load failed",
  "contents failed",
  "find failed",
  "poll failed",
  "post failed",
  "post answered wrongly",
  "post duplicated",
  "post overtaken",
  "quarantine failed",
  "sweep failed",
  "outage",
  "reads out",
  "journal misread",
  "journal cut",
  "journal changed",
] as const;

export type StoreFaultKind = (typeof STORE_FAULTS)[number];

/** The probability of each fault, in percent. */
export interface FaultRates {
  readonly refused: number;
  readonly answeredWrongly: number;
  readonly late: number;
  readonly slow: number;
  readonly reads: number;
  readonly posts: number;
  readonly outage: number;
  /** How often a read begins an outage of reads, while commits and posts succeed. */
  readonly readOutage: number;
  /** How often a load returns a changed journal once; the next load is correct. */
  readonly misreads: number;
}

export const NO_FAULTS: FaultRates = {
  refused: 0,
  answeredWrongly: 0,
  late: 0,
  slow: 0,
  reads: 0,
  posts: 0,
  outage: 0,
  readOutage: 0,
  misreads: 0,
};

/** The storage that all processes share, with its history of faults. */
export class SharedStorage {
  readonly memory: MemoryStore;
  readonly counts: Map<StoreFaultKind, number> = new Map();
  readonly #damaged = new Map<ExecutionId, "journal cut" | "journal changed">();
  readonly #applied = new Set<ExecutionId>();
  rates: FaultRates = NO_FAULTS;
  /** Called synchronously for every durable batch. */
  onCommitted: ((batch: CommitBatch) => void) | undefined;
  onPosted: ((id: MessageId, message: NewMessage) => void) | undefined;
  #outageUntil = 0;
  #readsOutUntil = 0;

  constructor(memory: MemoryStore) {
    this.memory = memory;
  }

  count(kind: StoreFaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** Commits that have not taken effect yet, of all processes. */
  readonly commitsUnderWay: Set<CommitBatch> = new Set();

  damage(id: ExecutionId, kind: "journal cut" | "journal changed"): void {
    this.#damaged.set(id, kind);
    this.count(kind);
  }

  isDamaged(id: ExecutionId): boolean {
    return this.#damaged.has(id);
  }

  /** Writes a batch and notifies; a refused batch notifies nothing. */
  async write(batch: CommitBatch): Promise<void> {
    await this.memory.commit(batch);
    this.onCommitted?.(batch);
  }

  /** Writes a batch that no caller awaits any more, unless the journal has advanced without it. */
  async applyLate(batch: CommitBatch): Promise<void> {
    try {
      await this.write(batch);
      for (const { execution } of batch.appends) this.#applied.add(execution);
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }

  /** Whether a late write changed this execution. */
  hasApplied(id: ExecutionId): boolean {
    return this.#applied.has(id);
  }

  async post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    const id = await this.memory.post(message, waitingMax);
    this.onPosted?.(id, message);
    return id;
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    const loaded = await this.memory.load(id);
    return loaded?.kind === "execution" ? { ...loaded, blocks: this.#damageBlocks(id, loaded.blocks) } : loaded;
  }

  async loadLast(id: ExecutionId): Promise<LastBlock | undefined> {
    const last = await this.memory.loadLast(id);
    const damage = this.#damaged.get(id);
    if (last === undefined || damage === undefined) return last;
    return damage === "journal cut" ? undefined : { ...last, block: corruptBlocks([last.block])[0]! };
  }

  async examine(id: ExecutionId): Promise<Examination | undefined> {
    const examined = await this.memory.examine(id);
    return examined === undefined ? undefined : { ...examined, blocks: this.#damageBlocks(id, examined.blocks) };
  }

  #damageBlocks(id: ExecutionId, blocks: readonly Block[]): readonly Block[] {
    const damage = this.#damaged.get(id);
    return damage === undefined ? blocks : damagedBlocks(blocks, damage);
  }

  /** Makes every call fail for some time. */
  fail(elapsedMs: number, forMs: number): void {
    this.#outageUntil = Math.max(this.#outageUntil, elapsedMs + forMs);
    this.count("outage");
  }

  areReadsOut({ world: { random, elapsedMs } }: SimulatedEnvironment): boolean {
    if (elapsedMs < this.#readsOutUntil && this.rates !== NO_FAULTS) return true;
    if (!random.percent(this.rates.readOutage)) return false;
    this.#readsOutUntil = elapsedMs + random.between(10, READS_OUT_MS);
    this.count("reads out");
    return true;
  }

  isOut(process: SimulatedEnvironment): boolean {
    const { random, elapsedMs } = process.world;
    if (elapsedMs < this.#outageUntil && this.rates !== NO_FAULTS) return true;
    if (!random.percent(this.rates.outage)) return false;
    this.fail(elapsedMs, random.between(10, 1500));
    return true;
  }
}

/** The maximum length of a read outage: longer than any pause between two tries. */
const READS_OUT_MS = 5000;

function damagedBlocks(blocks: readonly Block[], damage: "journal cut" | "journal changed"): readonly Block[] {
  return damage === "journal cut" ? blocks.slice(0, -1) : corruptBlocks(blocks);
}

/** The same events, with the time of one shifted by a millisecond. */
function corruptBlocks(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)!;
  const body = last.body.replace(/"at":(\d+)(?!.*"at":)/su, (_, at: string) => `"at":${Number(at) + 1}`);
  return [...blocks.slice(0, -1), { ...last, body }];
}

const CODES: readonly StoreFaultCode[] = ["STORE_IO", "STORE_FULL", "STORE_BUSY"];

export class FaultyStore implements Store, Pick<StoreAdmin, "quarantine" | "sweepKeys" | "examine"> {
  readonly #storage: SharedStorage;
  readonly #process: SimulatedEnvironment;
  readonly #inFlight = new Set<CommitBatch>();
  /** Executions that were misread and not read since. */
  /**
   * Each execution is misread once: two concurrent readers could otherwise cause two misreads in a row for one of them.
   */
  readonly #misread = new Set<ExecutionId>();
  #postsBegun = 0;
  #lastPostDone = 0;
  #isClosed = false;

  constructor(storage: SharedStorage, process: SimulatedEnvironment) {
    this.#storage = storage;
    this.#process = process;
    process.onCrash(() => this.#tear());
  }

  commit(batch: CommitBatch): Promise<void> {
    const { refused, answeredWrongly, late } = this.#storage.rates;
    if (this.#happens({ rate: late, kind: "commit landed late" })) return this.#applyLate(batch);
    this.#inFlight.add(batch);
    this.#storage.commitsUnderWay.add(batch);
    return this.#call(
      "commit",
      () => {
        this.#settle(batch);
        return this.#storage.write(batch);
      },
      { rate: refused, kind: "commit refused" },
      { rate: answeredWrongly, kind: "commit answered wrongly" },
    ).finally(() => this.#settle(batch));
  }

  #settle(batch: CommitBatch): void {
    this.#inFlight.delete(batch);
    this.#storage.commitsUnderWay.delete(batch);
  }

  /** The connection broke, but the server continues the write: a read may come before it (K4). */
  async #applyLate(batch: CommitBatch): Promise<never> {
    const { world } = this.#process;
    const land = (): void => void this.#storage.applyLate(batch);
    world.schedule(world.random.between(1, 600), `${this.#process.name} late commit`, land);
    throw this.#fault("commit landed late");
  }

  load(id: ExecutionId): Promise<LoadResult | undefined> {
    return this.#read("load", "load failed", async () => this.#misreadOnce(id, await this.#storage.load(id)));
  }

  loadLast(id: ExecutionId): Promise<LastBlock | undefined> {
    return this.#read("load last", "load failed", async () => this.#misreadLast(id, await this.#storage.loadLast(id)));
  }

  #misreadLast(id: ExecutionId, last: LastBlock | undefined): LastBlock | undefined {
    if (last === undefined || this.#misread.has(id)) return last;
    if (!this.#happens({ rate: this.#storage.rates.misreads, kind: "journal misread" })) return last;
    this.#misread.add(id);
    return { ...last, block: corruptBlocks([last.block])[0]! };
  }

  /** A disk may return other bytes than it holds, or an error that looks like damage. */
  #misreadOnce(id: ExecutionId, loaded: LoadResult | undefined): LoadResult | undefined {
    if (loaded?.kind !== "execution" || loaded.blocks.length === 0 || this.#misread.has(id)) return loaded;
    if (!this.#happens({ rate: this.#storage.rates.misreads, kind: "journal misread" })) return loaded;
    this.#misread.add(id);
    if (this.#process.world.random.percent(50)) throw new StoreFault("STORE_CORRUPT", "simulated: a read failed");
    return { ...loaded, blocks: corruptBlocks(loaded.blocks) };
  }

  examine(id: ExecutionId): Promise<Examination | undefined> {
    return this.#read("examine", "load failed", () => this.#storage.examine(id));
  }

  contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    return this.#read("contents", "contents failed", () => this.#storage.memory.contents(request));
  }

  find(query: Query): Promise<Page> {
    return this.#read("find", "find failed", () => this.#storage.memory.find(query));
  }

  poll(query?: PollQuery): Promise<Poll> {
    return this.#read("poll", "poll failed", () => this.#storage.memory.poll(query));
  }

  post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    const { posts } = this.#storage.rates;
    const turn = ++this.#postsBegun;
    return this.#call(
      "post",
      async () => {
        if (turn < this.#lastPostDone) this.#storage.count("post overtaken");
        this.#lastPostDone = Math.max(turn, this.#lastPostDone);
        const id = await this.#storage.post(message, waitingMax);
        if (this.#process.world.random.percent(posts)) {
          this.#storage.count("post duplicated");
          await this.#storage.post(message);
        }
        return id;
      },
      { rate: posts, kind: "post failed" },
      { rate: posts, kind: "post answered wrongly" },
    );
  }

  quarantine(id: ExecutionId, reason: string): Promise<void> {
    return this.#read("quarantine", "quarantine failed", () => this.#storage.memory.quarantine(id, reason));
  }

  sweepKeys(before: EpochMs, limit?: number): Promise<number> {
    return this.#read("sweep", "sweep failed", () => this.#storage.memory.sweepKeys(before, limit));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #read<Answer>(label: string, kind: StoreFaultKind, work: () => Promise<Answer>): Promise<Answer> {
    const readable = async (): Promise<Answer> => {
      if (this.#storage.areReadsOut(this.#process)) throw this.#fault("nothing can be read");
      return work();
    };
    return this.#call(label, readable, { rate: this.#storage.rates.reads, kind });
  }

  #call<Answer>(label: string, work: () => Promise<Answer>, before: Fault, after?: Fault): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(new StoreFault("STORE_CLOSED", "the store was closed"));
    return new Promise((resolve, reject) => {
      this.#process.after(this.#delayMs(label), label, () => {
        if (this.#storage.isOut(this.#process)) return reject(this.#fault("nothing can be read or written"));
        if (this.#happens(before)) return reject(this.#fault(before.kind));
        work().then((answer) => this.#answer(label, after, () => resolve(answer), reject), reject);
      });
    });
  }

  /** An answer may come later than its effect, so that a crash can fall between the two. */
  #answer(label: string, after: Fault | undefined, resolve: () => void, reject: (error: unknown) => void): void {
    if (after === undefined) return resolve();
    this.#process.after(this.#process.world.random.below(3), `${label} answered`, () =>
      this.#happens(after) ? reject(this.#fault(after.kind)) : resolve(),
    );
  }

  #delayMs(label: string): number {
    const { random } = this.#process.world;
    if (label === "commit" && random.percent(this.#storage.rates.slow)) {
      this.#storage.count("commit slow");
      return random.between(100, 3000);
    }
    return random.below(4);
  }

  #happens({ rate, kind }: Fault): boolean {
    if (!this.#process.world.random.percent(rate)) return false;
    this.#storage.count(kind);
    return true;
  }

  #fault(why: string): StoreFault {
    return new StoreFault(this.#process.world.random.pick(CODES), `simulated: ${why}`);
  }

  #tear(): void {
    for (const batch of this.#inFlight) {
      const survives = this.#process.world.random.percent(50);
      this.#storage.count(survives ? "commit survived a crash" : "commit torn by a crash");
      // After one lost write, no later write can survive.
      if (!survives) break;
      void this.#storage.write(batch).catch(() => undefined);
    }
    for (const batch of this.#inFlight) this.#settle(batch);
  }
}

interface Fault {
  readonly rate: number;
  readonly kind: StoreFaultKind;
}
