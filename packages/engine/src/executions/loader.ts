// The loader: brings executions from the store into memory, with at most one load per execution at a time.
//
//   L1. Loads run only while this process owns the store. A load that began before ownership was lost is rejected.
//   L2. Many executions are loaded a few at a time, so that other work continues.
//   L3. Deliveries to an execution that is being loaded join that load. So many deliveries to an ended execution cost
//       one load and not one each.
//   L4. Attempts that the journal shows as running ended with the process that ran them (FAIL-9).

import { attemptsUnderWay, type ExecutionId, type World } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Pace } from "../clock/pace.ts";
import type { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Dispatcher } from "../attempts/dispatcher.ts";
import type { Delivery } from "../turn/delivery.ts";
import { LiveExecution, type ExecutionHost } from "../turn/live-execution.ts";
import { canUnpark, isUnregistered, missingRunnerStep } from "../attempts/missing-runner.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { WakeTime } from "../clock/wake-time.ts";
import type { Journals } from "./journals.ts";

export interface LoaderPorts {
  readonly store: Store;
  readonly environment: Environment;
  readonly journals: Journals;
  readonly loop: TurnLoop;
  readonly dispatcher: Dispatcher;
  readonly attemptRuntime: AttemptRuntime;
  readonly check: World["check"];
  readonly pace: Pace;
  readonly host: ExecutionHost;
  enter(execution: LiveExecution): void;
  /** Called after a load, with any outcome. */
  onLoaded(id: ExecutionId): void;
  /** The known timer of an execution that is not in memory. */
  wakeTime(id: ExecutionId): WakeTime | undefined;
  isClosed(): boolean;
}

/** The outcome of a load. */
export type LoadOutcome = "loaded" | "not-found" | "unreadable";

interface Loading {
  readonly arrival: Promise<LoadOutcome>;
  readonly waiting: WaitingDeliveries;
}

/** Deliveries that wait for a load. */
interface WaitingDeliveries {
  readonly tenure: number | undefined;
  readonly deliveries: Delivery[];
  isOpen: boolean;
}

export class Loader {
  readonly #ports: LoaderPorts;
  readonly #loading = new Map<ExecutionId, Loading>();
  /** Counts how often this process became the owner; undefined while it is not the owner. */
  #ownershipEpoch: number | undefined;
  #ownershipEpochs = 0;
  /** The number of parked executions for which the loader is checking whether they can continue. */
  #polling = 0;

  constructor(ports: LoaderPorts) {
    this.#ports = ports;
  }

  get isOwned(): boolean {
    return this.#ownershipEpoch !== undefined;
  }

  /** Whether a loaded execution may continue in a moment. */
  get isPolling(): boolean {
    return this.#polling > 0;
  }

  /** Allows loads from now on. */
  own(): void {
    this.#ownershipEpoch ??= ++this.#ownershipEpochs;
  }

  /** Rejects loads in progress. */
  releaseOwnership(): void {
    this.#ownershipEpoch = undefined;
  }

  assertOwned(ownershipLoop: number | undefined = this.#ownershipEpoch): void {
    if (ownershipLoop === undefined || ownershipLoop !== this.#ownershipEpoch)
      throw new StoreFault(
        "STORE_FENCED",
        "another process owns the store now; repeat the call to post the command to that process",
      );
  }

  underWay(id: ExecutionId): Promise<LoadOutcome> | undefined {
    return this.#loading.get(id)?.arrival;
  }

  /** Adds a delivery to the load in progress. Undefined if there is none, or if that load will be rejected (L3). */
  join(id: ExecutionId, delivery: Delivery): Promise<LoadOutcome> | undefined {
    const loading = this.#loading.get(id);
    if (loading === undefined || !loading.waiting.isOpen || loading.waiting.tenure !== this.#ownershipEpoch)
      return undefined;
    loading.waiting.deliveries.push(delivery);
    return loading.arrival;
  }

  /** Resolves when no load is in progress. After close, no load waits for its turn either. */
  async idle(): Promise<void> {
    await Promise.allSettled(Array.from(this.#loading.values(), ({ arrival: outcome }) => outcome));
    if (this.#ports.isClosed()) await this.#ports.pace.atRest();
  }

  load(id: ExecutionId, first: readonly Delivery[]): Promise<LoadOutcome> {
    const waiting = { tenure: this.#ownershipEpoch, deliveries: [...first], isOpen: true };
    const outcome = this.#load(id, waiting).finally(() => {
      this.#loading.delete(id);
      this.#ports.onLoaded(id);
    });
    this.#loading.set(id, { arrival: outcome, waiting });
    return outcome;
  }

  async #load(id: ExecutionId, waiting: WaitingDeliveries): Promise<LoadOutcome> {
    const { store, journals, check, host } = this.#ports;
    const { tenure: ownershipLoop } = waiting;
    const turn = this.#ports.pace.turn();
    if (turn !== undefined) await turn;
    if (this.#ports.isClosed()) return "not-found";
    const loaded = await store.load(id);
    if (this.#ports.isClosed()) return "not-found";
    this.assertOwned(ownershipLoop);
    if (loaded === undefined) return "not-found";
    const folded = await journals.fold(loaded);
    this.assertOwned(ownershipLoop);
    if (folded === undefined) return "unreadable";
    if (this.#ports.isClosed()) return "not-found";
    const { state } = folded;
    const { epoch: found } = folded.loaded;
    const { definition, head, priority } = folded.loaded.projection;
    const execution = new LiveExecution({ id, definition, state, expectedEpoch: found, head, priority, check, host });
    waiting.isOpen = false;
    this.#admit(execution, waiting.deliveries);
    return "loaded";
  }

  #admit(execution: LiveExecution, deliveries: readonly Delivery[]): void {
    const { environment, dispatcher, loop } = this.#ports;
    const { state, deliveries: inbox } = execution;
    const at = environment.now();
    const known = this.#ports.wakeTime(execution.id);
    this.#ports.enter(execution);
    loop.adopt(execution, known);
    for (const { step, epoch } of attemptsUnderWay(state)) {
      inbox.add({ happening: dispatcher.toLostHappening(step, epoch, "the process that ran it ended") });
      loop.freeSlot(execution, step);
    }
    if (state.base === "pending") inbox.add({ happening: { kind: "begin", at } });
    if (hasItsAgent(execution, dispatcher)) inbox.add({ happening: { kind: "resume", at } });
    for (const delivery of deliveries) inbox.add(delivery);
    loop.resume(execution);
    void this.#resumeIfAble(execution);
  }

  /**
   * The execution is parked for a reason other than a missing agent, and this process may be able to continue it. The
   * check is asynchronous.
   */
  async #resumeIfAble(execution: LiveExecution): Promise<void> {
    const { environment, attemptRuntime: runtime, loop } = this.#ports;
    const step = missingRunnerStep(execution.state);
    if (step === undefined || isUnregistered(execution.state)) return;
    this.#polling++;
    const isAble = await canUnpark(execution.state, step, runtime).finally(() => this.#polling--);
    if (isAble && missingRunnerStep(execution.state) === step)
      loop.post(execution, { kind: "resume", at: environment.now() });
  }
}

/** True if the execution was parked because no runner was registered for a step, and one is registered now (FAIL-9). */
export function hasItsAgent(execution: LiveExecution, dispatcher: Dispatcher): boolean {
  const step = missingRunnerStep(execution.state);
  return step !== undefined && isUnregistered(execution.state) && dispatcher.canRun(execution, step);
}
