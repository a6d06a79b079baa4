// Group commit: the appends of all executions in one tick are one transaction (ARCHITECTURE).
//
//   C1. One commit is under way at a time; what comes meanwhile is the next batch. A batch has an end, and between two of
//       them others have their turn: a crowd is no reason to stall.
//   C2. Every append is answered once: it is durable, or it failed. Nobody acts before the answer (JOURNAL-1).
//   C3. Where nothing runs that could soon have something to add, nothing is waited for.
//   C4. What the store names when it refuses a batch is refused, and the rest is committed together (K8). Where something
//       in the batch broke an invariant, nobody knows what it was: then each is committed by itself.

import type { Environment } from "../clock/environment.ts";
import { StoreFault, type RefusedIds } from "../store/store-fault.ts";
import type { Append, CommitBatch, MessageId, Store } from "../store/store.ts";

export type CommitResult = { readonly kind: "durable" } | { readonly kind: "failed"; readonly error: unknown };

interface Pending {
  /** Absent when messages were taken that changed nothing. */
  readonly append: Append | undefined;
  readonly taken: readonly MessageId[];
  readonly answer: (answer: CommitResult) => void;
}

/** Enough for the cost of a sync to be shared by many, and few enough for the event loop to wait for. */
const BATCH_MAX = 512;

const DURABLE: CommitResult = Object.freeze({ kind: "durable" });

export class Committer {
  readonly #store: Store;
  readonly #environment: Environment;
  /** For how many turns of the event loop others are waited for. */
  readonly #delayTicks: () => number;
  #pending: Pending[] = [];
  #isBusy = false;
  #isDeferred = false;
  #isCorked = false;
  #idleResolvers: (() => void)[] = [];

  constructor(store: Store, environment: Environment, turnsToWait: () => number) {
    this.#store = store;
    this.#environment = environment;
    this.#delayTicks = turnsToWait;
  }

  commit(append: Append | undefined, taken: readonly MessageId[], answer: (answer: CommitResult) => void): void {
    this.#pending.push({ append, taken, answer });
    this.#schedule();
  }

  /** What `work` has to commit is one batch; where nothing runs that could add to it, it is written at once (C3). */
  cork(work: () => void): void {
    this.#isCorked = true;
    work();
    this.#isCorked = false;
    if (this.#delayTicks() > 0) this.#schedule();
    else if (this.#isFree) this.#flush();
  }

  get #isFree(): boolean {
    return !this.#isBusy && !this.#isDeferred && this.#pending.length > 0;
  }

  /** Resolves when no commit is under way or waiting. */
  async idle(): Promise<void> {
    if (this.#isBusy || this.#isDeferred) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  #schedule(): void {
    if (this.#isCorked || !this.#isFree) return;
    this.#isDeferred = true;
    const turns = this.#delayTicks();
    if (turns === 0) this.#environment.soon(() => this.#flushDeferred());
    else this.#flushAfter(turns);
  }

  #flushAfter(turns: number): void {
    this.#environment.defer(() => (turns === 1 ? this.#flushDeferred() : this.#flushAfter(turns - 1)));
  }

  #flushDeferred(): void {
    this.#isDeferred = false;
    this.#flush();
  }

  #flush(): void {
    const batch = this.#nextBatch();
    this.#isBusy = true;
    this.#store.commit(toBatch(batch)).then(
      () => this.#answer(batch, undefined),
      (error: unknown) => void this.#retryIndividually(batch, error),
    );
  }

  #nextBatch(): Pending[] {
    if (this.#pending.length > BATCH_MAX) return this.#pending.splice(0, BATCH_MAX);
    const batch = this.#pending;
    this.#pending = [];
    return batch;
  }

  /** Everybody gets the same answer, unless there is one for each. */
  #answer(batch: readonly Pending[], answers: readonly CommitResult[] | undefined): void {
    this.#isBusy = false;
    for (let index = 0; index < batch.length; index++) batch[index]!.answer(answers?.[index] ?? DURABLE);
    this.#schedule();
    if (!this.#isDeferred) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  async #retryIndividually(batch: readonly Pending[], error: unknown): Promise<void> {
    this.#answer(batch, await this.#answersTo(batch, { kind: "failed", error }));
  }

  async #answersTo(batch: readonly Pending[], answer: CommitResult): Promise<readonly CommitResult[]> {
    if (answer.kind === "durable" || batch.length === 1) return batch.map(() => answer);
    if (!(answer.error instanceof StoreFault)) return this.#commitIndividually(batch);
    const { refused } = answer.error;
    const rest = refused === undefined ? [] : batch.filter((pending) => !isRefused(pending, refused));
    if (rest.length === 0 || rest.length === batch.length) return batch.map(() => answer);
    const answers = await this.#answersTo(rest, await this.#commit(rest));
    const answered = new Map(rest.map((pending, index) => [pending, answers[index]]));
    return batch.map((pending) => answered.get(pending) ?? answer);
  }

  async #commitIndividually(batch: readonly Pending[]): Promise<readonly CommitResult[]> {
    const answers: CommitResult[] = [];
    for (const pending of batch) answers.push(await this.#commit([pending]));
    return answers;
  }

  async #commit(batch: readonly Pending[]): Promise<CommitResult> {
    try {
      await this.#store.commit(toBatch(batch));
      return DURABLE;
    } catch (error) {
      return { kind: "failed", error };
    }
  }
}

function toBatch(batch: readonly Pending[]): CommitBatch {
  const appends: Append[] = [];
  const taken: MessageId[] = [];
  for (const pending of batch) {
    if (pending.append !== undefined) appends.push(pending.append);
    for (const id of pending.taken) taken.push(id);
  }
  return { appends, taken };
}

function isRefused({ append, taken }: Pending, { executions, messages }: RefusedIds): boolean {
  return (append !== undefined && executions.has(append.execution)) || taken.some((id) => messages.has(id));
}
