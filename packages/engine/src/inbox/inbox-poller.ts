// The inbox poller: what other processes posted, on its way to the executions (LEASE-5).
//
//   N1. A message is in hand from the moment it is delivered until it is taken in the transaction of a turn. While it is in
//       hand it is not delivered again; when it is put back, or could not be delivered, it comes with the next look.
//   N2. Messages for one execution are delivered in the order in which they were posted.
//   N3. What is no command, or cannot lead to anything, is taken and dropped; so is a command with a name that no store could keep.
//   N4. Only an owner takes: when the store is lost, what was not delivered yet stays where it is.
//   N5. A look reads what was posted since the look before, a page at a time. Everything is looked at when the store is owned
//       anew, and once a minute.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Executions } from "../executions/executions.ts";
import type { KeyClaim, Keys } from "../idempotency/keys.ts";
import { isName } from "../checks/names.ts";
import { assertPayloads } from "../executions/payload-removal.ts";
import type { Resumption } from "./resumption.ts";
import type { RegisteredWorkflow } from "../registry/registry.ts";
import type { KeyedMutex } from "../collections/keyed-mutex.ts";
import type { IdempotencyEntry, Message, MessageId, Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { toIdempotencyEntry } from "./execution-starter.ts";
import { toCreation, toHappening, parseCommand, type StartCommand, type Command } from "./command.ts";

export interface InboxPollerPorts {
  readonly executions: Executions;
  readonly environment: Environment;
  readonly store: Store;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly keys: Keys;
  readonly resumption: Resumption;
  /** Starts of one id, or with one key, wait for each other. */
  readonly sequence: KeyedMutex;
}

/** A start that was handed over; settled when it is durable, or will never be. */
interface StartedExecution {
  readonly settled: Promise<void>;
}

/** How long to wait before what could not be delivered is looked at again. */
const AGAIN_MS = 200;
/** So many messages are looked at before others have their turn. */
const PAGE = 128;

export class InboxPoller {
  readonly #ports: InboxPollerPorts;
  readonly #inFlight = new Set<MessageId>();
  /** Everything up to this message was handed over, or is gone. */
  #after: MessageId = 0;
  /** A message that is put back during a look is seen by the next one, however far this one comes. */
  #afterMax: MessageId = Number.POSITIVE_INFINITY;
  #polling: Promise<void> = Promise.resolve();
  #isPollScheduled = false;

  constructor(ports: InboxPollerPorts) {
    this.#ports = ports;
  }

  /** Looks at what was posted since the last look, and at what could not be delivered then. */
  poll(): Promise<void> {
    return this.#inSequence(() => this.#pollPage());
  }

  /** Looks at everything that is posted. */
  pollAll(): Promise<void> {
    return this.#inSequence(async () => {
      this.#after = 0;
      const seen = new Set<MessageId>();
      if (!(await this.#pollPage(seen))) return;
      for (const id of this.#inFlight) if (!seen.has(id)) this.#inFlight.delete(id);
    });
  }

  /** They are durably taken, and will not be posted any more. */
  ack(messages: readonly MessageId[]): void {
    for (const id of messages) this.#inFlight.delete(id);
  }

  /** They were in hand of an execution that was let go. */
  nack(messages: readonly MessageId[]): void {
    if (messages.length === 0) return;
    for (const id of messages) {
      this.#inFlight.delete(id);
      this.#afterMax = Math.min(this.#afterMax, id - 1);
      this.#after = Math.min(this.#after, this.#afterMax);
    }
    this.#pollAgain();
  }

  /** One look after the other. */
  #inSequence<Result>(look: () => Promise<Result>): Promise<void> {
    const mine = this.#polling.then(async () => void (await look()));
    this.#polling = mine.catch(() => undefined);
    return mine;
  }

  /** Page by page (N5). False when the store was lost meanwhile. */
  async #pollPage(seen?: Set<MessageId>): Promise<boolean> {
    const held = new Set<ExecutionId>();
    let isLeft = false;
    this.#afterMax = Number.POSITIVE_INFINITY;
    for (let after = this.#after; ;) {
      const { messages } = await this.#ports.store.poll({ after, limit: PAGE });
      for (const message of messages) {
        if (!this.#ports.executions.isOwned) return false;
        seen?.add(message.id);
        // What is left alone may become this engine's own later.
        if (this.#ports.resumption.mayTake(message)) await this.#onMessage(message, held);
        else isLeft = true;
        if (held.size === 0 && !isLeft) this.#after = Math.min(message.id, this.#afterMax);
      }
      if (messages.length < PAGE) break;
      after = messages.at(-1)!.id;
      await new Promise<void>((resolve) => this.#ports.environment.defer(resolve));
    }
    if (held.size > 0) this.#pollAgain();
    return true;
  }

  /** What comes behind a message that could not be delivered, for the same execution, is held as well (N2). */
  async #onMessage(message: Message, held: Set<ExecutionId>): Promise<void> {
    if (held.has(message.execution) || this.#inFlight.has(message.id)) return;
    if (!(await this.#deliver(message))) held.add(message.execution);
  }

  #pollAgain(): void {
    if (this.#isPollScheduled) return;
    this.#isPollScheduled = true;
    this.#ports.executions.after(AGAIN_MS, () => void this.#redeliverAll());
  }

  /** What was posted for an execution that was set aside is in nobody's hand: it is delivered when that one is back. */
  async redeliver(id: ExecutionId): Promise<void> {
    const { messages } = await this.#ports.store.poll();
    for (const { id: message, execution } of messages) if (execution === id) this.#inFlight.delete(message);
    await this.poll();
  }

  async #redeliverAll(): Promise<void> {
    this.#isPollScheduled = false;
    if (!this.#ports.executions.isOwned) return;
    try {
      await this.poll();
    } catch (error) {
      this.#ports.report(error, undefined);
      this.#pollAgain();
    }
  }

  async #deliver(message: Message): Promise<boolean> {
    this.#inFlight.add(message.id);
    this.#ports.resumption.add(message.execution);
    try {
      await this.#dispatch(message);
      return true;
    } catch (error) {
      this.#inFlight.delete(message.id);
      this.#ports.report(error, message.execution);
      return false;
    }
  }

  async #dispatch(message: Message): Promise<void> {
    const { executions, environment } = this.#ports;
    const command = parseCommand(message.body);
    if (command === undefined || !commandNames(command).every(isName)) return this.#discardUnread(message);
    if (command.kind === "start") return this.#startInSequence(message, command);
    if (command.kind === "retry" && !(await this.#hasPayloads(message))) return executions.discard(message.id);
    const happening = toHappening(command, environment.now());
    const outcome = await executions.deliverTo(message.execution, { happening, message: message.id });
    // What is for an execution that was set aside stays posted, until a person has seen to it.
    if (outcome === "not-found") executions.discard(message.id);
  }

  /** Nobody waits for the answer to what was posted, so a refusal is reported (DATA-11). */
  async #hasPayloads({ execution }: Message): Promise<boolean> {
    try {
      await assertPayloads(this.#ports.store, execution);
      return true;
    } catch (error) {
      if (!(error instanceof SegnoError) || error.code !== "PAYLOAD_REMOVED") throw error;
      this.#ports.report(error, execution);
      return false;
    }
  }

  /** Any process may post, and not all of them are ours; but it may also be what was written and is damaged. */
  #discardUnread({ id, execution }: Message): void {
    const why = `the message ${id} for the execution ${execution} cannot be understood and was discarded`;
    this.#ports.report(new StoreFault("STORE_CORRUPT", why), execution);
    this.#ports.executions.discard(id);
  }

  /** Resolves when it is handed over. The turn of its key ends later, when others can find what it made. */
  #startInSequence(message: Message, command: StartCommand): Promise<void> {
    const { sequence } = this.#ports;
    const start = (): Promise<StartedExecution> =>
      sequence.run(`id ${message.execution}`, () => this.#start(message, command));
    const { promise: handed, resolve, reject } = Promise.withResolvers<void>();
    const handOver = async (): Promise<void> => {
      const { settled } = await start();
      resolve();
      await settled;
    };
    (command.key === undefined ? handOver() : sequence.run(`key ${command.key}`, handOver)).catch(reject);
    return handed;
  }

  /** A start with a key joins what the key stands for, or is refused by it: either way nothing is made (IDEM-1). */
  async #readClaim(entry: IdempotencyEntry): Promise<KeyClaim | "held"> {
    try {
      const found = await this.#ports.keys.look(entry);
      return found.kind === "held" ? "held" : { entry, after: found.after };
    } catch (error) {
      if (error instanceof SegnoError && error.code === "IDEMPOTENCY_CONFLICT") return "held";
      throw error;
    }
  }

  async #start(message: Message, command: StartCommand): Promise<StartedExecution> {
    const { executions, environment, store } = this.#ports;
    const { execution: id } = message;
    if (executions.live(id) !== undefined || (await store.load(id)) !== undefined) return this.#drop(message);
    const entry = toIdempotencyEntry(command);
    const key = entry === undefined ? undefined : await this.#readClaim(entry);
    if (key === "held") return this.#drop(message);
    const program = await this.#program(command);
    if (program === undefined || !isName(program.definition.name)) return this.#drop(message);
    const execution = executions.create(id, command.definition, program, command.priority);
    execution.firstAppend = { definitions: [], key };
    const { create, begin } = toCreation(id, command, environment.now());
    // In one turn, so that no crash finds an execution that nobody will begin.
    execution.deliveries.add({ happening: create, message: message.id });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    executions.deliver(execution, { happening: begin, answer: () => resolve(), refuse: () => resolve() });
    return { settled };
  }

  #drop(message: Message): StartedExecution {
    this.#ports.executions.discard(message.id);
    return { settled: Promise.resolve() };
  }

  /** The definition that came with the start; nothing when there is none, or it cannot run. */
  async #program(command: StartCommand): Promise<RegisteredWorkflow["program"] | undefined> {
    try {
      const { journals } = this.#ports.executions;
      for (const { definition } of command.workflows ?? []) await journals.definition(definition);
      return await journals.definition(command.definition);
    } catch (error) {
      if (!(error instanceof SegnoError) || error instanceof StoreFault) throw error;
      this.#ports.report(error, undefined);
      return undefined;
    }
  }
}

function commandNames(command: Command): readonly string[] {
  switch (command.kind) {
    case "start":
      return [command.workflow, command.correlationId];
    case "signal":
      return [command.id, command.name];
    case "vote":
      return [command.step, command.id, command.by];
    case "cancel":
    case "pause":
    case "resume":
    case "retry":
      return [];
  }
}
