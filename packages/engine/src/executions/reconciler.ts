// The reconciler: executions whose last commit was answered with an error, or whose values could not be read.
//
//   H1. A commit that failed may have happened (K4). If the store is where the turn would have taken it, the turn is
//       confirmed and goes on as if nothing had been wrong.
//   H2. Otherwise the execution is folded again from what the store has, and gets what the turn had taken once more; what
//       was granted to it is forgotten, because admission begins anew.
//   H3. Whoever lost the execution lets it go (LEASE-2): to a higher epoch, or to somebody who found the same epoch and was
//       faster. Whether a take-over was ours is known by the head that it led to.
//   H4. One execution that cannot be healed yet does not keep the others waiting.

import { attemptsUnderWay, type ExecutionId } from "@segno/kernel";
import type { Registry } from "../registry/registry.ts";
import type { LoadResult, Store } from "../store/store.ts";
import type { Dispatcher } from "../attempts/dispatcher.ts";
import type { Delivery } from "../turn/delivery.ts";
import { isGone, type LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { FoldedJournal } from "./journals.ts";
import { CHAIN_START } from "../journal/read-journal.ts";

export interface ReconcilerPorts {
  readonly store: Store;
  readonly registry: Registry;
  readonly loop: TurnLoop;
  readonly dispatcher: Dispatcher;
  /** The state that a journal gives; nothing when it was quarantined. */
  fold(loaded: LoadResult): Promise<FoldedJournal | undefined>;
  evict(execution: LiveExecution, reason: string): void;
  /** Another execution holds its idempotency key. */
  yieldKey(execution: LiveExecution, holder: ExecutionId): void;
  /** Somebody else has taken it over, or did so once and was heard late. */
  onOwnershipLost(execution: LiveExecution): void;
  after(ms: number, call: () => void): void;
}

/** How long to wait before asking a store again that has failed. */
const RECONCILE_MS = 200;

export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #faulted = new Set<LiveExecution>();
  #isAwake = false;
  #lastFault: unknown;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
  }

  /** What is wrong with the store, if anything is. */
  get lastFault(): unknown {
    return this.#lastFault;
  }

  enqueue(execution: LiveExecution, error: unknown): void {
    execution.activity = "faulted";
    this.#lastFault = error;
    this.#faulted.add(execution);
    this.#wake();
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#ports.after(RECONCILE_MS, () => void this.#reconcileAll());
  }

  async #reconcileAll(): Promise<void> {
    let fault: unknown;
    const ailing = [...this.#faulted];
    this.#faulted.clear();
    for (const execution of ailing) {
      try {
        await this.#reconcile(execution);
      } catch (error) {
        fault = error;
        if (!isGone(execution)) this.#faulted.add(execution);
      }
    }
    this.#isAwake = false;
    this.#lastFault = this.#faulted.size === 0 ? undefined : (fault ?? this.#lastFault);
    if (this.#faulted.size > 0) this.#wake();
  }

  async #reconcile(execution: LiveExecution): Promise<void> {
    // In this order: what is not posted any more was taken by something that the journal, read later, shows.
    const taken = await this.#stillPosted(execution);
    const loaded = await this.#ports.store.load(execution.id);
    if (isGone(execution)) return;
    if (loaded === undefined) return this.#beginAgain(execution, taken, await this.#keyHolder(execution));
    const isUnderUs = loaded.kind === "execution" && loaded.epoch === execution.epoch;
    // What is posted still was not taken by what is written, though that says the same: it was an earlier try without it.
    const isTaken = taken.every(({ message }) => message === undefined);
    if (isUnderUs && isTaken && isWritten(execution, loaded)) return this.#ports.loop.confirm(execution);
    const folded = await this.#ports.fold(loaded);
    if (isGone(execution)) return;
    if (folded === undefined) return this.#ports.evict(execution, "it was set aside");
    const { epoch, payloadsRemovedAt } = folded.loaded;
    if (payloadsRemovedAt !== undefined) return this.#ports.evict(execution, "its payloads were removed");
    const { head } = folded.loaded.projection;
    if (!execution.isOurs(epoch, head)) return this.#ports.onOwnershipLost(execution);
    execution.state = folded.state;
    if (epoch === execution.epoch) execution.onAppendDurable(head);
    else execution.head = head;
    execution.firstAppend = undefined;
    this.#resume(execution, taken);
  }

  /** Not even its first row was written: it is still only an intention. */
  #beginAgain(execution: LiveExecution, taken: readonly Delivery[], keyHolder: ExecutionId | undefined): void {
    if (isGone(execution)) return;
    if (execution.head !== CHAIN_START) return this.#ports.evict(execution, "it was removed");
    if (keyHolder !== undefined) return this.#ports.yieldKey(execution, keyHolder);
    const deliveries = [...taken, ...execution.deliveries.all()];
    // An earlier decision about its message, such as to join another execution, became durable late.
    if (!deliveries.some(({ happening }) => happening.kind === "create"))
      return this.#ports.evict(execution, "its start was taken already");
    execution.state = this.#ports.registry.newState(execution.state.program);
    this.#resume(execution, taken);
  }

  /** Another execution that became durable with the key of this one, which will never be written then (K11). */
  async #keyHolder({ firstAppend }: LiveExecution): Promise<ExecutionId | undefined> {
    const claim = firstAppend?.key;
    if (claim === undefined) return undefined;
    const { executions } = await this.#ports.store.find({ idempotencyKey: claim.entry.key, limit: 1 });
    const holder = executions[0]?.id;
    return holder === claim.after ? undefined : holder;
  }

  /** What the turn took, without messages that are no longer there: a turn without events may have been written as well. */
  async #stillPosted(execution: LiveExecution): Promise<readonly Delivery[]> {
    const taken = execution.turn?.consumed ?? [];
    if (taken.every(({ message }) => message === undefined)) return taken;
    const posted = new Set((await this.#ports.store.poll({ execution: execution.id })).messages.map(({ id }) => id));
    return taken.filter(({ message }) => message === undefined || posted.has(message));
  }

  #resume(execution: LiveExecution, taken: readonly Delivery[]): void {
    execution.turn = undefined;
    const deliveries = [...taken, ...execution.deliveries.all()].filter(
      ({ happening }) => !isOfTheTurn(happening.kind),
    );
    execution.deliveries.replace(deliveries);
    this.#ports.loop.adopt(execution);
    for (const { step, epoch } of attemptsUnderWay(execution.state)) {
      const end = pendingEnd(execution, step, epoch);
      if (this.#ports.dispatcher.isUnderWay(execution, step, epoch) || end === "ended") continue;
      if (end === undefined)
        execution.deliveries.add({
          happening: this.#ports.dispatcher.toLostHappening(step, epoch, "it was never started"),
        });
      this.#ports.loop.freeSlot(execution, step);
    }
    this.#ports.loop.resume(execution);
  }
}

function isWritten({ turn }: LiveExecution, loaded: LoadResult & { kind: "execution" }): boolean {
  return turn?.append !== undefined && turn.append.projection.head === loaded.projection.head;
}

/** What only the turn that asked for it can use. */
function isOfTheTurn(kind: Delivery["happening"]["kind"]): boolean {
  return kind === "granted" || kind === "proceed" || kind === "resolved" || kind === "unresolved";
}

/** How an attempt ends by what is on its way: by itself, or because nothing of it runs. */
function pendingEnd(execution: LiveExecution, step: number, epoch: number): "ended" | "lost" | undefined {
  for (const { happening } of execution.deliveries.all())
    if (
      (happening.kind === "ended" || happening.kind === "lost") &&
      happening.step === step &&
      happening.epoch === epoch
    )
      return happening.kind;
  return undefined;
}
