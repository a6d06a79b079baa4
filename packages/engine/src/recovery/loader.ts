// The loader: executions come from the store into memory, one load an execution at a time.
//
//   L1. Only while the store is owned. A load that was begun before it was lost, or under an earlier tenure, is turned back.
//   L2. A crowd of executions comes in a few at a time, so that everything else goes on meanwhile.
//   L3. Deliveries to an execution that is being loaded come in with it. So many that reach one that has ended cost one load,
//       not one each.
//   L4. Whatever the journal says is under way went down with the process that ran it (FAIL-9).

import { attemptsUnderWay, type ExecutionId, type World } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Pace } from "../clock/pace.ts";
import type { Workshop } from "../runners/workshop.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Dispatcher } from "../turn/dispatcher.ts";
import type { Delivery } from "../turn/delivery.ts";
import { LiveExecution } from "../turn/live-execution.ts";
import { hasWhatItLacked, isUnregistered, wantedStep } from "../turn/lack.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { WakeTime } from "../turn/wake-time.ts";
import type { Journals } from "./journals.ts";

export interface LoaderPorts {
  readonly store: Store;
  readonly environment: Environment;
  readonly journals: Journals;
  readonly loop: TurnLoop;
  readonly dispatcher: Dispatcher;
  readonly workshop: Workshop;
  readonly check: World["check"];
  readonly pace: Pace;
  enter(execution: LiveExecution): void;
  /** Whatever became of bringing it in. */
  settled(id: ExecutionId): void;
  /** What is known about the times of an execution that is not in memory. */
  wakeTimeOf(id: ExecutionId): WakeTime | undefined;
  isClosed(): boolean;
}

/** What became of bringing an execution into memory. */
export type Arrival = "here" | "unknown" | "unreadable";

interface Loading {
  readonly arrival: Promise<Arrival>;
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
  #tenure: number | undefined;
  #tenures = 0;
  /** How many executions are looked after whether they have by now what they lacked. */
  #looking = 0;

  constructor(ports: LoaderPorts) {
    this.#ports = ports;
  }

  get isOwned(): boolean {
    return this.#tenure !== undefined;
  }

  /** Whether one of those that came in may go on in a moment. */
  get isLooking(): boolean {
    return this.#looking > 0;
  }

  /** Executions may come in from now on. */
  own(): void {
    this.#tenure ??= ++this.#tenures;
  }

  /** What is on its way in is turned back. */
  letGo(): void {
    this.#tenure = undefined;
  }

  assertOwned(tenure: number | undefined = this.#tenure): void {
    if (tenure === undefined || tenure !== this.#tenure)
      throw new StoreFault(
        "STORE_FENCED",
        "another process owns the store now; ask again, and it is posted to that one",
      );
  }

  underWay(id: ExecutionId): Promise<Arrival> | undefined {
    return this.#loading.get(id)?.arrival;
  }

  /** Gives a delivery to the load that is under way; nothing when there is none, or when it is turned back anyway (L3). */
  join(id: ExecutionId, delivery: Delivery): Promise<Arrival> | undefined {
    const loading = this.#loading.get(id);
    if (loading === undefined || !loading.waiting.isOpen || loading.waiting.tenure !== this.#tenure) return undefined;
    loading.waiting.deliveries.push(delivery);
    return loading.arrival;
  }

  /** Resolves when nothing that was being loaded is on its way any more; when all is closed, nobody waits for a turn either. */
  async idle(): Promise<void> {
    await Promise.allSettled(Array.from(this.#loading.values(), ({ arrival }) => arrival));
    if (this.#ports.isClosed()) await this.#ports.pace.atRest();
  }

  load(id: ExecutionId, first: readonly Delivery[]): Promise<Arrival> {
    const waiting = { tenure: this.#tenure, deliveries: [...first], isOpen: true };
    const arrival = this.#load(id, waiting).finally(() => {
      this.#loading.delete(id);
      this.#ports.settled(id);
    });
    this.#loading.set(id, { arrival, waiting });
    return arrival;
  }

  async #load(id: ExecutionId, waiting: WaitingDeliveries): Promise<Arrival> {
    const { store, journals, check } = this.#ports;
    const { tenure } = waiting;
    const turn = this.#ports.pace.turn();
    if (turn !== undefined) await turn;
    if (this.#ports.isClosed()) return "unknown";
    const loaded = await store.load(id);
    if (this.#ports.isClosed()) return "unknown";
    this.assertOwned(tenure);
    if (loaded === undefined) return "unknown";
    const folded = await journals.fold(loaded);
    this.assertOwned(tenure);
    if (folded === undefined) return "unreadable";
    if (this.#ports.isClosed()) return "unknown";
    const { state } = folded;
    const { epoch: found } = folded.loaded;
    const { definition, head, priority } = folded.loaded.projection;
    const execution = new LiveExecution({ id, definition, state, found, head, priority, check });
    waiting.isOpen = false;
    this.#bringIn(execution, waiting.deliveries);
    return "here";
  }

  #bringIn(execution: LiveExecution, deliveries: readonly Delivery[]): void {
    const { environment, dispatcher, loop } = this.#ports;
    const { state, inbox } = execution;
    const at = environment.now();
    const known = this.#ports.wakeTimeOf(execution.id);
    this.#ports.enter(execution);
    loop.adopt(execution, known);
    for (const { step, epoch } of attemptsUnderWay(state)) {
      inbox.add({ happening: dispatcher.lost(step, epoch, "the process that ran it ended") });
      loop.free(execution, step);
    }
    if (state.base === "pending") inbox.add({ happening: { kind: "begin", at } });
    if (hasItsAgent(execution, dispatcher)) inbox.add({ happening: { kind: "resume", at } });
    for (const delivery of deliveries) inbox.add(delivery);
    loop.resume(execution);
    void this.#resumeIfAble(execution);
  }

  /** It was parked for something else than an agent, which this process may have. To find out can take a while. */
  async #resumeIfAble(execution: LiveExecution): Promise<void> {
    const { environment, workshop, loop } = this.#ports;
    const step = wantedStep(execution.state);
    if (step === undefined || isUnregistered(execution.state)) return;
    this.#looking++;
    const isAble = await hasWhatItLacked(execution.state, step, workshop).finally(() => this.#looking--);
    if (isAble && wantedStep(execution.state) === step) loop.post(execution, { kind: "resume", at: environment.now() });
  }
}

/** It was parked because nothing was registered to run a step of it, and now something is (FAIL-9). */
export function hasItsAgent(execution: LiveExecution, dispatcher: Dispatcher): boolean {
  const step = wantedStep(execution.state);
  return step !== undefined && isUnregistered(execution.state) && dispatcher.knows(execution, step);
}
