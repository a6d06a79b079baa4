// The loader: brings executions from the store into memory, with at most one load per execution at a time.
//
//   L1. Loads run only while this process owns the store. A load that began before ownership was lost is rejected.
//   L2. Many executions are loaded a few at a time, so that other work continues.
//   L3. Deliveries to an execution that is being loaded join that load. So many deliveries to an ended execution cost
//       one load and not one each.
//   L4. Attempts that the journal shows as running ended with the process that ran them (FAIL-9).

import { attemptsUnderWay, type ExecutionId } from "@segno/kernel";
import { lostHappening } from "../attempts/attempt-happenings.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Delivery } from "../turn/delivery.ts";
import { LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { Journals } from "./journals.ts";
import type { LiveExecutions } from "./live-executions.ts";
import type { ParkedExecutions } from "./parked-executions.ts";

export interface LoaderPorts {
  readonly environment: SystemPorts;
  readonly journals: Journals;
  readonly live: LiveExecutions;
  readonly loop: TurnLoop;
  readonly parked: ParkedExecutions;
  /** Prepares the strategy for an execution; undefined if the strategy needs no preparation. It never rejects. */
  readonly loadStrategy?: ((execution: LiveExecution) => Promise<void>) | undefined;
}

/** The outcome of a load. */
export type LoadOutcome = "loaded" | "not-found" | "unreadable";

interface Loading {
  readonly outcome: Promise<LoadOutcome>;
  readonly waiting: WaitingDeliveries;
}

/** Deliveries that wait for a load. */
interface WaitingDeliveries {
  readonly ownershipEpoch: number | undefined;
  readonly deliveries: Delivery[];
  /** Whether further deliveries may join the load. */
  isOpen: boolean;
}

export class Loader {
  readonly #ports: LoaderPorts;
  readonly #loading = new Map<ExecutionId, Loading>();
  /** Identifies the current ownership of the store; undefined while this process is not the owner. */
  #ownershipEpoch: number | undefined;
  /** How often this process became the owner. */
  #ownershipCount = 0;

  constructor(ports: LoaderPorts) {
    this.#ports = ports;
  }

  get isOwned(): boolean {
    return this.#ownershipEpoch !== undefined;
  }

  /** Whether a loaded execution that was parked may continue in a moment. */
  get isCheckingParked(): boolean {
    return this.#ports.parked.isChecking;
  }

  /** Allows loads from now on. */
  own(): void {
    this.#ownershipEpoch ??= ++this.#ownershipCount;
  }

  /** Rejects loads in progress. */
  releaseOwnership(): void {
    this.#ownershipEpoch = undefined;
  }

  /** Throws if this process is not the owner, or has lost the store since this ownership epoch. */
  assertOwned(ownershipEpoch: number | undefined = this.#ownershipEpoch): void {
    if (ownershipEpoch === undefined || ownershipEpoch !== this.#ownershipEpoch)
      throw new StoreFault(
        "STORE_FENCED",
        "another process owns the store now; repeat the call to post the command to that process",
      );
  }

  loadInProgress(id: ExecutionId): Promise<LoadOutcome> | undefined {
    return this.#loading.get(id)?.outcome;
  }

  /** Loads an execution into memory, so that it continues. */
  async claim(id: ExecutionId): Promise<LoadOutcome> {
    if (this.#ports.live.get(id) !== undefined) return "loaded";
    const outcome = await (this.loadInProgress(id) ?? this.load(id, []));
    if (outcome !== "loaded") this.#ports.live.clearWakeTimer(id);
    return outcome;
  }

  /** Adds a delivery to the load in progress. Undefined if there is none, or if that load will be rejected (L3). */
  join(id: ExecutionId, delivery: Delivery): Promise<LoadOutcome> | undefined {
    const loading = this.#loading.get(id);
    if (loading === undefined || !loading.waiting.isOpen || loading.waiting.ownershipEpoch !== this.#ownershipEpoch)
      return undefined;
    loading.waiting.deliveries.push(delivery);
    return loading.outcome;
  }

  /** Resolves when no load is in progress and, after close, no read waits either. */
  async idle(): Promise<void> {
    await Promise.allSettled(Array.from(this.#loading.values(), ({ outcome }) => outcome));
    if (this.#ports.live.isClosed) await this.#ports.journals.whenReadsIdle();
  }

  load(id: ExecutionId, first: readonly Delivery[]): Promise<LoadOutcome> {
    const waiting = { ownershipEpoch: this.#ownershipEpoch, deliveries: [...first], isOpen: true };
    const outcome = this.#load(id, waiting).finally(() => {
      this.#loading.delete(id);
      this.#ports.live.onLoaded(id);
    });
    this.#loading.set(id, { outcome, waiting });
    return outcome;
  }

  async #load(id: ExecutionId, waiting: WaitingDeliveries): Promise<LoadOutcome> {
    const { journals, live, loop, loadStrategy } = this.#ports;
    const wait = journals.waitToRead();
    if (wait !== undefined) await wait;
    if (live.isClosed) return "not-found";
    const loaded = await journals.loadNow(id);
    if (live.isClosed) return "not-found";
    this.assertOwned(waiting.ownershipEpoch);
    if (loaded === undefined) return "not-found";
    const folded = await journals.fold(loaded);
    this.assertOwned(waiting.ownershipEpoch);
    if (folded === undefined) return "unreadable";
    if (live.isClosed) return "not-found";
    const { state } = folded;
    const { epoch: expectedEpoch, projection } = folded.loaded;
    const { definition, head, priority } = projection;
    const execution = new LiveExecution({ id, definition, state, expectedEpoch, head, priority }, loop);
    if (loadStrategy !== undefined) {
      await loadStrategy(execution);
      this.assertOwned(waiting.ownershipEpoch);
      if (live.isClosed) return "not-found";
    }
    waiting.isOpen = false;
    this.#addToMemory(execution, waiting.deliveries);
    return "loaded";
  }

  #addToMemory(execution: LiveExecution, deliveries: readonly Delivery[]): void {
    const { environment, live, loop, parked } = this.#ports;
    const { state, deliveries: queue } = execution;
    const at = environment.now();
    const knownWakeTime = live.wakeTime(execution.id);
    live.addLoaded(execution);
    loop.startLoaded(execution, knownWakeTime);
    for (const { step, epoch: stepEpoch } of attemptsUnderWay(state)) {
      queue.add({ happening: lostHappening(at, step, stepEpoch, "the process that ran it ended") });
      loop.releaseStep(execution, step);
    }
    if (state.baseStatus === "pending") queue.add({ happening: { kind: "begin", at } });
    if (parked.isRunnerRegisteredNow(execution)) queue.add({ happening: { kind: "resume", at } });
    for (const delivery of deliveries) queue.add(delivery);
    loop.continueTurn(execution);
    void parked.resumeIfAble(execution);
  }
}
