// The loader: executions come from the store into memory, one load an execution at a time.
//
//   L1. Only while the store is owned. A load that was begun before it was lost, or under an earlier ownership, is turned back.
//   L2. A crowd of executions comes in a few at a time, so that everything else goes on meanwhile.
//   L3. Deliveries to an execution that is being loaded come in with it. So many that reach one that has ended cost one load,
//       not one each.
//   L4. Whatever the journal says is under way went down with the process that ran it (FAIL-9).

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
  /** Whatever became of bringing it in. */
  onLoaded(id: ExecutionId): void;
  /** What is known about the times of an execution that is not in memory. */
  wakeTime(id: ExecutionId): WakeTime | undefined;
  isClosed(): boolean;
}

/** What became of bringing an execution into memory. */
export type LoadOutcome = "loaded" | "not-found" | "unreadable";

interface Loading {
  readonly arrival: Promise<LoadOutcome>;
  readonly waiting: WaitingDeliveries;
}

/** Deliveries that come in with an execution, as long as it is not in memory. */
interface WaitingDeliveries {
  readonly tenure: number | undefined;
  readonly deliveries: Delivery[];
  isOpen: boolean;
}

export class Loader {
  readonly #ports: LoaderPorts;
  readonly #loading = new Map<ExecutionId, Loading>();
  /** Counts how often the store was owned; nothing while it is not. */
  #ownershipEpoch: number | undefined;
  #ownershipEpochs = 0;
  /** How many executions are looked after whether they have by now what they lacked. */
  #polling = 0;

  constructor(ports: LoaderPorts) {
    this.#ports = ports;
  }

  get isOwned(): boolean {
    return this.#ownershipEpoch !== undefined;
  }

  /** Whether one of those that came in may go on in a moment. */
  get isPolling(): boolean {
    return this.#polling > 0;
  }

  /** Executions may come in from now on. */
  own(): void {
    this.#ownershipEpoch ??= ++this.#ownershipEpochs;
  }

  /** What is on its way in is turned back. */
  releaseOwnership(): void {
    this.#ownershipEpoch = undefined;
  }

  assertOwned(ownershipLoop: number | undefined = this.#ownershipEpoch): void {
    if (ownershipLoop === undefined || ownershipLoop !== this.#ownershipEpoch)
      throw new StoreFault(
        "STORE_FENCED",
        "another process owns the store now; ask again, and it is posted to that one",
      );
  }

  underWay(id: ExecutionId): Promise<LoadOutcome> | undefined {
    return this.#loading.get(id)?.arrival;
  }

  /** Gives a delivery to the load that is under way; nothing when there is none, or when it is turned back anyway (L3). */
  join(id: ExecutionId, delivery: Delivery): Promise<LoadOutcome> | undefined {
    const loading = this.#loading.get(id);
    if (loading === undefined || !loading.waiting.isOpen || loading.waiting.tenure !== this.#ownershipEpoch)
      return undefined;
    loading.waiting.deliveries.push(delivery);
    return loading.arrival;
  }

  /** Resolves when nothing that was being loaded is on its way any more; when all is closed, nobody waits for a turn either. */
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

  /** It was parked for something else than an agent, which this process may have. To find out can take a while. */
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

/** It was parked because nothing was registered to run a step of it, and now something is (FAIL-9). */
export function hasItsAgent(execution: LiveExecution, dispatcher: Dispatcher): boolean {
  const step = missingRunnerStep(execution.state);
  return step !== undefined && isUnregistered(execution.state) && dispatcher.canRun(execution, step);
}
