// Group commit: the appends that executions make together are one transaction.
//
//   C1. One commit runs at a time; appends that arrive meanwhile form the next batch. Batches are bounded, and the
//       event loop runs between two batches.
//   C2. Every append gets one result: durable or failed. Callers act only on the result (JOURNAL-1).
//   C3. If nothing runs that could soon add an append, the commit is not delayed.
//   C4. A batch of several appends can fail in three ways. If the store names the ids that it refuses (`store-fault.ts`),
//       those appends fail and the rest is committed together. If it reports a fault without naming ids of the batch, or
//       names all of them, every append fails. After any other error it is unknown which append caused it, so each append
//       is committed by itself. A store may throw as well as reject; both are faults of the store (K7), unless the
//       error is a failed invariant.

import type { SystemPorts } from "../clock/system-ports.ts";
import type { CommitMetrics } from "../metrics/commit-metrics.ts";
import { StoreFault, storeFaultOf, type RefusedIds } from "../store/store-fault.ts";
import type { Append, CommitBatch, MessageId, Store } from "../store/store.ts";

export type CommitResult = { readonly kind: "durable" } | { readonly kind: "failed"; readonly error: unknown };

interface Pending {
  /** Absent if the turn consumed messages without writing events. */
  readonly append: Append | undefined;
  readonly messages: readonly MessageId[];
  readonly onResult: (result: CommitResult) => void;
}

/** Large enough to share the cost of one fsync, and small enough not to stall the event loop. */
const BATCH_MAX = 512;

const DURABLE: CommitResult = Object.freeze({ kind: "durable" });

export class Committer {
  readonly #store: Store;
  readonly #environment: SystemPorts;
  /** How many ticks of the event loop a commit waits for more appends. */
  readonly #delayTicks: () => number;
  readonly #metrics: CommitMetrics;
  #pending: Pending[] = [];
  #isBusy = false;
  #isFlushPending = false;
  #isCorked = false;
  #idleResolvers: (() => void)[] = [];

  constructor(store: Store, environment: SystemPorts, delayTicks: () => number, metrics: CommitMetrics) {
    this.#store = store;
    this.#environment = environment;
    this.#delayTicks = delayTicks;
    this.#metrics = metrics;
  }

  commit(append: Append | undefined, messages: readonly MessageId[], result: (result: CommitResult) => void): void {
    this.#pending.push({ append, messages, onResult: result });
    this.#requestFlush();
  }

  /** Commits all appends of `work` as one batch; at once if nothing runs that could add to it (C3). */
  cork(work: () => void): void {
    this.#isCorked = true;
    work();
    this.#isCorked = false;
    if (this.#delayTicks() > 0) this.#requestFlush();
    else if (this.#canFlush) this.#flush();
  }

  get #canFlush(): boolean {
    return !this.#isBusy && !this.#isFlushPending && this.#pending.length > 0;
  }

  /** Resolves when no commit is running or pending. */
  async idle(): Promise<void> {
    if (this.#isBusy || this.#isFlushPending) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  #requestFlush(): void {
    if (this.#isCorked || !this.#canFlush) return;
    this.#isFlushPending = true;
    const ticks = this.#delayTicks();
    if (ticks === 0) this.#environment.callSoon(() => this.#flushPending());
    else this.#flushAfter(ticks);
  }

  #flushAfter(ticks: number): void {
    this.#environment.defer(() => (ticks === 1 ? this.#flushPending() : this.#flushAfter(ticks - 1)));
  }

  #flushPending(): void {
    this.#isFlushPending = false;
    this.#flush();
  }

  #flush(): void {
    const batch = this.#nextBatch();
    const startedAt = this.#environment.monotonic();
    this.#isBusy = true;
    this.#send(batch).then(
      () => {
        this.#measure(batch, startedAt);
        this.#resolve(batch, undefined);
      },
      (error: unknown) => {
        this.#measure(batch, startedAt);
        void this.#recover(batch, error);
      },
    );
  }

  #measure(batch: readonly Pending[], startedAt: number): void {
    this.#metrics.onCommitted(batch.length, this.#environment.monotonic() - startedAt);
  }

  #nextBatch(): Pending[] {
    if (this.#pending.length > BATCH_MAX) return this.#pending.splice(0, BATCH_MAX);
    const batch = this.#pending;
    this.#pending = [];
    return batch;
  }

  /** Without `results`, every append is durable. */
  #resolve(batch: readonly Pending[], results: readonly CommitResult[] | undefined): void {
    this.#isBusy = false;
    for (let index = 0; index < batch.length; index++) batch[index]!.onResult(results?.[index] ?? DURABLE);
    this.#requestFlush();
    if (!this.#isFlushPending) for (const resolve of this.#idleResolvers.splice(0)) resolve();
  }

  async #recover(batch: readonly Pending[], error: unknown): Promise<void> {
    const results = await this.#resolveRefused(batch, { kind: "failed", error });
    this.#resolve(batch, results.map(withStoreFault));
  }

  async #resolveRefused(batch: readonly Pending[], result: CommitResult): Promise<readonly CommitResult[]> {
    if (result.kind === "durable" || batch.length === 1) return batch.map(() => result);
    if (!(result.error instanceof StoreFault)) return this.#commitIndividually(batch);
    const { refused } = result.error;
    const rest = refused === undefined ? [] : batch.filter((pending) => !isRefused(pending, refused));
    if (rest.length === 0 || rest.length === batch.length) return batch.map(() => result);
    const results = await this.#resolveRefused(rest, await this.#commit(rest));
    const resultByPending = new Map(rest.map((pending, index) => [pending, results[index]]));
    return batch.map((pending) => resultByPending.get(pending) ?? result);
  }

  async #commitIndividually(batch: readonly Pending[]): Promise<readonly CommitResult[]> {
    const results: CommitResult[] = [];
    for (const pending of batch) results.push(await this.#commit([pending]));
    return results;
  }

  async #commit(batch: readonly Pending[]): Promise<CommitResult> {
    try {
      await this.#send(batch);
      return DURABLE;
    } catch (error) {
      return { kind: "failed", error };
    }
  }

  /** Rejects if the store throws. */
  #send(batch: readonly Pending[]): Promise<void> {
    try {
      return Promise.resolve(this.#store.commit(toBatch(batch)));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

function withStoreFault(result: CommitResult): CommitResult {
  return result.kind === "durable" ? result : { kind: "failed", error: storeFaultOf(result.error) };
}

function toBatch(batch: readonly Pending[]): CommitBatch {
  const appends: Append[] = [];
  const messages: MessageId[] = [];
  for (const pending of batch) {
    if (pending.append !== undefined) appends.push(pending.append);
    for (const id of pending.messages) messages.push(id);
  }
  return { appends, consumedMessages: messages };
}

function isRefused({ append, messages }: Pending, refused: RefusedIds): boolean {
  return (
    (append !== undefined && refused.executions.has(append.execution)) ||
    messages.some((id) => refused.messages.has(id))
  );
}
