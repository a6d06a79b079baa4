// The inbox poller: delivers posted messages to executions (LEASE-5).
//
//   N1. A message is in flight from its delivery until the transaction of a turn takes it. A message in flight is not
//       delivered again. After a nack or a failed delivery, the next poll delivers it again.
//   N2. Messages for one execution are delivered in order of posting.
//   N3. A message that is no valid command, or can have no effect, is taken and dropped. So is a command with a name
//       that no store could keep.
//   N4. Only an owner takes messages: when ownership is lost, undelivered messages stay in the inbox.
//   N5. A poll reads the messages since the previous poll, a page at a time. The poller reads the whole inbox after
//       ownership is taken, and once a minute.

import { SegnoError, type ExecutionId, type TextFilter } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Executions } from "../executions/executions.ts";
import type { KeyClaim, Keys } from "../idempotency/keys.ts";
import { isName } from "../checks/names.ts";
import { assertPayloads } from "../executions/payload-removal.ts";
import type { Resumption } from "./resumption.ts";
import type { RegisteredWorkflow } from "../registry/registry.ts";
import type { IdempotencyEntry, Message, MessageId, Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Committer } from "../turn/committer.ts";
import { toIdempotencyEntry } from "./execution-starter.ts";
import { toCreation, toHappening, parseCommand, type StartCommand, type Command } from "./command.ts";

export interface InboxPollerPorts {
  readonly executions: Executions;
  readonly environment: Environment;
  readonly store: Store;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly keys: Keys;
  readonly resumption: Resumption;
  readonly committer: Committer;
}

/** A start that was delivered; settled when it is durable, or never will be. */
interface StartedExecution {
  readonly settled: Promise<void>;
}

/** The delay before undeliverable messages are tried again. */
const AGAIN_MS = 200;
/** The number of messages per page, after which the poller yields. */
const PAGE = 128;

export class InboxPoller {
  readonly #ports: InboxPollerPorts;
  readonly #maskText: TextFilter;
  readonly #inFlight = new Set<MessageId>();
  /** Every message up to this one was delivered, or is gone. */
  #after: MessageId = 0;
  /** A message that is nacked during a poll is seen by the next poll, however far this one gets. */
  #afterMax: MessageId = Number.POSITIVE_INFINITY;
  #polling: Promise<void> = Promise.resolve();
  #isPollScheduled = false;

  /** `maskText` masks secrets in what people write. */
  constructor(ports: InboxPollerPorts, maskText: TextFilter) {
    this.#ports = ports;
    this.#maskText = maskText;
  }

  /** Reads the messages since the last poll, and the ones that could not be delivered then. */
  poll(): Promise<void> {
    return this.#inSequence(() => this.#pollPage());
  }

  /** Reads every posted message. */
  pollAll(): Promise<void> {
    return this.#inSequence(async () => {
      this.#after = 0;
      const seen = new Set<MessageId>();
      if (!(await this.#pollPage(seen))) return;
      for (const id of this.#inFlight) if (!seen.has(id)) this.#inFlight.delete(id);
    });
  }

  /** The messages are durably taken and no longer posted. */
  ack(messages: readonly MessageId[]): void {
    for (const id of messages) this.#inFlight.delete(id);
  }

  /** The messages were in flight to an execution that was evicted. */
  nack(messages: readonly MessageId[]): void {
    if (messages.length === 0) return;
    for (const id of messages) {
      this.#inFlight.delete(id);
      this.#afterMax = Math.min(this.#afterMax, id - 1);
      this.#after = Math.min(this.#after, this.#afterMax);
    }
    this.#pollAgain();
  }

  /** Serialises polls. */
  #inSequence<Result>(look: () => Promise<Result>): Promise<void> {
    const mine = this.#polling.then(async () => void (await look()));
    this.#polling = mine.catch(() => undefined);
    return mine;
  }

  /** Reads page by page (N5). False if ownership was lost meanwhile. */
  async #pollPage(seen?: Set<MessageId>): Promise<boolean> {
    const held = new Set<ExecutionId>();
    let isLeft = false;
    this.#afterMax = Number.POSITIVE_INFINITY;
    for (let after = this.#after; ;) {
      const { messages } = await this.#ports.store.poll({ after, limit: PAGE });
      for (const message of messages) {
        if (!this.#ports.executions.isOwned) return false;
        seen?.add(message.id);
        // An execution that this engine skips now may become its own later.
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

  /** If a message could not be delivered, later messages for the same execution are held back as well (N2). */
  async #onMessage(message: Message, held: Set<ExecutionId>): Promise<void> {
    if (held.has(message.execution) || this.#inFlight.has(message.id)) return;
    if (!(await this.#deliver(message))) held.add(message.execution);
  }

  #pollAgain(): void {
    if (this.#isPollScheduled) return;
    this.#isPollScheduled = true;
    this.#ports.executions.after(AGAIN_MS, () => void this.#redeliverAll());
  }

  /** Messages for a quarantined execution are not in flight; they are delivered after its recovery. */
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
    if (command.kind === "retry" && !(await this.#hasPayloads(message))) return this.#discard(message.id);
    const happening = toHappening(command, environment.now(), this.#maskText);
    const outcome = await executions.deliverTo(message.execution, { happening, message: message.id });
    // Messages for a quarantined execution stay posted until an operator recovers it.
    if (outcome === "not-found") this.#discard(message.id);
  }

  /** No caller waits for the answer to a posted message, so a refusal is reported as a fault (DATA-11). */
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

  /** A message that cannot be parsed may come from another program, or may be damaged. */
  #discardUnread({ id, execution }: Message): void {
    const why = `the message ${id} for the execution ${execution} is not a valid command and was discarded`;
    this.#ports.report(new StoreFault("STORE_CORRUPT", why), execution);
    this.#discard(id);
  }

  /**
   * Resolves when the start is delivered. The mutex of its key is released later, when other starts can find the
   * execution.
   */
  #startInSequence(message: Message, command: StartCommand): Promise<void> {
    const { mutex } = this.#ports.keys;
    const start = (): Promise<StartedExecution> =>
      mutex.run(`id ${message.execution}`, () => this.#start(message, command));
    const { promise: delivered, resolve, reject } = Promise.withResolvers<void>();
    const deliver = async (): Promise<void> => {
      const { settled } = await start();
      resolve();
      await settled;
    };
    (command.key === undefined ? deliver() : mutex.run(`key ${command.key}`, deliver)).catch(reject);
    return delivered;
  }

  /**
   * A start with a key joins the execution that holds the key, or is refused. In both cases nothing is created
   * (IDEM-1).
   */
  async #readClaim(entry: IdempotencyEntry): Promise<KeyClaim | "held"> {
    try {
      const key = await this.#ports.keys.look(entry);
      return key.kind === "held" ? "held" : { entry, previousWithKey: key.previousWithKey };
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
    // Both deliveries are in one turn, so that a crash cannot leave an execution that never begins.
    execution.deliveries.add({ happening: create, message: message.id });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    executions.deliver(execution, { happening: begin, resolve: () => resolve(), reject: () => resolve() });
    return { settled };
  }

  /** Takes a message that has no effect, so that it is not delivered again. */
  #discard(message: MessageId): void {
    const { executions, committer, report } = this.#ports;
    if (executions.isClosed || !executions.isOwned) return this.nack([message]);
    committer.commit(undefined, [message], (result) => {
      if (result.kind === "durable") return this.ack([message]);
      if (executions.isClosed) return;
      report(result.error, undefined);
      this.nack([message]);
    });
  }

  #drop(message: Message): StartedExecution {
    this.#discard(message.id);
    return { settled: Promise.resolve() };
  }

  /** The program of the definition that came with the start; undefined if there is none, or if it cannot run. */
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
