// The reconciler: recovers executions whose last commit failed, or whose values could not be read.
//
//   H1. The store may have written a commit that returned an error (K4). If the stored head is the one that the turn
//       leads to, the turn is confirmed and continues normally.
//   H2. Otherwise the execution is folded again from the store and gets the deliveries of the turn once more. Its
//       grants are dropped, because admission starts over.
//   H3. An execution that was lost is evicted (LEASE-2): another owner holds it under a higher lease epoch, or took over
//       the same epoch first. The head that a take-over led to shows whether it was ours.
//   H4. An execution that cannot be recovered yet does not delay the others.

import { attemptsUnderWay, type SegnoError } from "@segno/kernel";
import { lostHappening } from "../attempts/attempt-happenings.ts";
import { executionExists } from "../checks/execution-exists.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Timers } from "../clock/timers.ts";
import { KeyTaken } from "../idempotency/key-taken.ts";
import type { LoadResult, Store } from "../store/store.ts";
import type { Delivery } from "../turn/delivery.ts";
import { isGone, type LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { Evictor } from "./evictor.ts";
import type { Journals } from "./journals.ts";
import { CHAIN_START } from "../journal/read-journal.ts";

export interface ReconcilerPorts {
  readonly store: Pick<Store, "load" | "find" | "poll">;
  readonly environment: SystemPorts;
  readonly timers: Timers;
  readonly journals: Journals;
  readonly loop: TurnLoop;
  readonly evictor: Evictor;
}

/** The delay before a failed store is asked again. */
const RECONCILE_MS = 200;

export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #faulted = new Set<LiveExecution>();
  #isPassPending = false;
  #lastFault: unknown;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
  }

  /** The current fault of the store, if there is one. */
  get lastFault(): unknown {
    return this.#lastFault;
  }

  enqueue(execution: LiveExecution, error: unknown): void {
    execution.turnStage = "faulted";
    this.#lastFault = error;
    this.#faulted.add(execution);
    this.#requestPass();
  }

  #requestPass(): void {
    if (this.#isPassPending) return;
    this.#isPassPending = true;
    this.#ports.timers.after(RECONCILE_MS, () => void this.#reconcileAll());
  }

  async #reconcileAll(): Promise<void> {
    let fault: unknown;
    const faulted = [...this.#faulted];
    this.#faulted.clear();
    for (const execution of faulted) {
      try {
        await this.#reconcile(execution);
      } catch (error) {
        fault = error;
        if (!isGone(execution)) this.#faulted.add(execution);
      }
    }
    this.#isPassPending = false;
    this.#lastFault = this.#faulted.size === 0 ? undefined : (fault ?? this.#lastFault);
    if (this.#faulted.size > 0) this.#requestPass();
  }

  async #reconcile(execution: LiveExecution): Promise<void> {
    const { store, journals, evictor } = this.#ports;
    // The inbox is read before the journal: if a commit consumed a message, the journal that is read later includes that
    // commit.
    const consumed = await this.#stillPosted(execution);
    const loaded = await store.load(execution.id);
    if (isGone(execution)) return;
    if (loaded === undefined) return this.#restart(execution, consumed, await this.#rival(execution));
    const isOurEpoch = loaded.kind === "execution" && loaded.epoch === execution.leaseEpoch;
    // The written block did not consume a message that is still in the inbox, even if the block is identical: it came from
    // an earlier commit without the message.
    const areMessagesConsumed = consumed.every(({ message }) => message === undefined);
    if (isOurEpoch && areMessagesConsumed && isWritten(execution, loaded))
      return this.#ports.loop.confirmAppend(execution);
    const folded = await journals.fold(loaded);
    if (isGone(execution)) return;
    if (folded === undefined) return evictor.abortAndEvict(execution, "it was quarantined");
    const { epoch: storedEpoch, payloadsRemovedAt } = folded.loaded;
    if (payloadsRemovedAt !== undefined) return evictor.abortAndEvict(execution, "its payloads were removed");
    const { head } = folded.loaded.projection;
    if (!execution.isOurs(storedEpoch, head)) return evictor.onOwnershipLost(execution);
    execution.state = folded.state;
    if (storedEpoch === execution.leaseEpoch) execution.onAppendDurable(head);
    else execution.head = head;
    execution.startContents = undefined;
    this.#continueFromStore(execution, consumed);
  }

  /** The first commit was not written, so the execution does not exist yet and starts again. */
  #restart(execution: LiveExecution, consumed: readonly Delivery[], rival: SegnoError | undefined): void {
    const { journals, evictor } = this.#ports;
    if (isGone(execution)) return;
    if (execution.head !== CHAIN_START) return evictor.abortAndEvict(execution, "it was removed");
    if (rival !== undefined) return evictor.evict(execution, rival);
    const deliveries = [...consumed, ...execution.deliveries.all()];
    // An earlier decision about its start, such as joining another execution, became durable late.
    if (!deliveries.some(({ happening }) => happening.kind === "create"))
      return evictor.abortAndEvict(execution, "its start was already taken");
    execution.state = journals.initialState(execution.state.program);
    this.#continueFromStore(execution, consumed);
  }

  /** Another start has the id or the key, so this execution will never be written (K11, K12). */
  async #rival(execution: LiveExecution): Promise<SegnoError | undefined> {
    const { id, startContents } = execution;
    if (await this.#isStartPosted(execution)) return executionExists(id);
    const claim = startContents?.keyClaim;
    if (claim === undefined) return undefined;
    const { executions } = await this.#ports.store.find({ idempotencyKey: claim.entry.key, limit: 1 });
    const holder = executions[0]?.id;
    return holder === undefined || holder === claim.previousWithKey ? undefined : new KeyTaken(id, holder);
  }

  /** Whether a start is posted that is not the message of this execution. */
  async #isStartPosted({ id, turn, deliveries }: LiveExecution): Promise<boolean> {
    const { messages } = await this.#ports.store.poll({ execution: id });
    const start = messages.find(({ isStart }) => isStart === true)?.id;
    const own = [...(turn?.consumed ?? []), ...deliveries.all()];
    return start !== undefined && !own.some(({ message }) => message === start);
  }

  /**
   * The deliveries of the turn, without messages that are no longer in the inbox: a commit without events may have consumed
   * them.
   */
  async #stillPosted(execution: LiveExecution): Promise<readonly Delivery[]> {
    const consumed = execution.turn?.consumed ?? [];
    if (consumed.every(({ message }) => message === undefined)) return consumed;
    const posted = new Set((await this.#ports.store.poll({ execution: execution.id })).messages.map(({ id }) => id));
    return consumed.filter(({ message }) => message === undefined || posted.has(message));
  }

  #continueFromStore(execution: LiveExecution, consumed: readonly Delivery[]): void {
    const { environment, loop } = this.#ports;
    execution.turn = undefined;
    const deliveries = [...consumed, ...execution.deliveries.all()].filter(
      ({ happening }) => !belongsToTurn(happening.kind),
    );
    execution.deliveries.replace(deliveries);
    loop.startLoaded(execution);
    for (const { step, epoch: stepEpoch } of attemptsUnderWay(execution.state)) {
      const end = pendingEnd(execution, step, stepEpoch);
      if (execution.attempts.get(step)?.epoch === stepEpoch || end === "ended") continue;
      if (end === undefined)
        execution.deliveries.add({
          happening: lostHappening(environment.now(), step, stepEpoch, "it was never started"),
        });
      loop.releaseStep(execution, step);
    }
    loop.continueTurn(execution);
  }
}

function isWritten({ turn }: LiveExecution, loaded: LoadResult & { kind: "execution" }): boolean {
  return turn?.append !== undefined && turn.append.projection.head === loaded.projection.head;
}

/** Deliveries that only the turn that requested them can use. */
function belongsToTurn(kind: Delivery["happening"]["kind"]): boolean {
  return kind === "granted" || kind === "proceed" || kind === "resolved" || kind === "unresolved";
}

/** How a pending delivery ends the attempt: `ended` by its outcome, `lost` because nothing of it runs. */
function pendingEnd(execution: LiveExecution, step: number, stepEpoch: number): "ended" | "lost" | undefined {
  for (const { happening } of execution.deliveries.all())
    if (
      (happening.kind === "ended" || happening.kind === "lost") &&
      happening.step === step &&
      happening.epoch === stepEpoch
    )
      return happening.kind;
  return undefined;
}
