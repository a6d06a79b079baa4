// The inbox poller: delivers posted messages to executions (LEASE-5).
//
//   N1. A message is in flight from its delivery until the transaction of a turn takes it and no page that was read
//       before can hold it. A message in flight is not delivered again. After a nack or a failed delivery, the next poll
//       delivers it again.
//   N2. Messages for one execution are delivered in order of posting. A direct command is delivered after the messages
//       that were posted before it, so all commands of an execution have the order of their acknowledgement.
//   N3. A message that is no valid command, or can have no effect, is taken and dropped. So is a command with a name
//       that no store could keep, and a start whose id is taken. The reason is reported once, when the drop is durable.
//   N4. Only an owner takes messages: when ownership is lost, undelivered messages stay in the inbox.
//   N5. A poll reads the messages since the previous poll, a page at a time. The poller reads the whole inbox after
//       ownership is taken, and once a minute.

import { SegnoError, type ExecutionId, type TextFilter } from "@segno/kernel";
import { executionExists } from "../checks/execution-exists.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import { KeyedMutex } from "../collections/keyed-mutex.ts";
import type { Executions } from "../executions/executions.ts";
import type { KeyClaim, Keys } from "../idempotency/keys.ts";
import { isName } from "../checks/names.ts";
import { closedError } from "../executions/closed-error.ts";
import { assertPayloads } from "../executions/payload-removal.ts";
import type { Resumption } from "./resumption.ts";
import type { IdempotencyEntry, Message, MessageId, Store } from "../store/store.ts";
import type { Committer } from "../turn/committer.ts";
import { toIdempotencyEntry } from "./execution-starter.ts";
import { startProgram, StartHeldBack, undecodable, unread } from "./posted-start.ts";
import type { PostedMessages } from "./store-access.ts";
import { commandNames, isUsableStart, toCreation, toHappening, parseCommand, type StartCommand } from "./command.ts";

export interface InboxPollerPorts {
  readonly executions: Executions;
  readonly environment: SystemPorts;
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

interface DirectCall {
  readonly deliver: () => void;
  readonly reject: (error: unknown) => void;
}

/** The delay before undeliverable messages are tried again. */
const AGAIN_MS = 200;
/** The number of messages per page, after which the poller yields. */
const PAGE = 128;

/** The key of a posted start: free to claim, or not. A start that joins another execution has no error (IDEM-1). */
type ClaimResult =
  | { readonly kind: "claimed"; readonly claim: KeyClaim | undefined }
  | { readonly kind: "refused"; readonly error: SegnoError | undefined };

export class InboxPoller implements PostedMessages {
  readonly #ports: InboxPollerPorts;
  readonly #maskText: TextFilter;
  readonly #inFlight = new Set<MessageId>();
  /** Messages in flight that were taken while somebody reads. */
  readonly #taken = new Set<MessageId>();
  /** The number of polls and direct commands that hold messages that they have read. */
  #readers = 0;
  /** Direct calls that wait until the inbox of their execution is read. */
  readonly #calls = new Map<ExecutionId, DirectCall[]>();
  /** Serialises the deliveries to one execution. */
  readonly #deliveries = new KeyedMutex();
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
      const before = [...this.#inFlight];
      if (!(await this.#pollPage(seen))) return;
      for (const id of before) if (!seen.has(id)) this.#inFlight.delete(id);
    });
  }

  /** Calls that come before the inbox is read share one look. */
  afterPosted<Result>(id: ExecutionId, deliver: () => Result | Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const call: DirectCall = { deliver: () => resolve(deliver()), reject };
    const others = this.#calls.get(id);
    if (others === undefined) {
      this.#calls.set(id, [call]);
      void this.#deliveries.run(id, () => this.#callInOrder(id));
    } else others.push(call);
    return promise;
  }

  async #callInOrder(id: ExecutionId): Promise<void> {
    const calls = this.#calls.get(id) ?? [];
    this.#calls.delete(id);
    try {
      await this.#deliverHeldBack(id);
    } catch (error) {
      const refusal = this.#ports.executions.isClosed ? closedError() : error;
      for (const { reject } of calls) reject(refusal);
      return;
    }
    for (const { deliver, reject } of calls) {
      try {
        deliver();
      } catch (error) {
        reject(error);
      }
    }
  }

  /** A direct call waits for a start that is held back, as the poll does. */
  async #deliverHeldBack(id: ExecutionId): Promise<void> {
    for (;;) {
      try {
        return await this.#reading(() => this.#deliverPosted(id));
      } catch (error) {
        if (!(error instanceof StartHeldBack) || this.#ports.executions.isClosed) throw error;
        await this.#ports.executions.sleep(AGAIN_MS);
      }
    }
  }

  async #deliverPosted(id: ExecutionId): Promise<void> {
    const { store, executions, resumption } = this.#ports;
    const { messages } = await store.poll({ execution: id });
    // A message that may be taken makes the execution this engine's own, so the older ones may be taken as well.
    if (!messages.some((message) => resumption.mayTake(message))) return;
    for (const message of messages) {
      // Without ownership the caller's own delivery is refused as well.
      if (!executions.isOwned) return;
      if (this.#inFlight.has(message.id)) continue;
      try {
        await this.#deliver(message);
      } catch (error) {
        this.nack([message.id]);
        throw error;
      }
    }
  }

  /** The messages are durably taken and no longer posted. */
  ack(messages: readonly MessageId[]): void {
    for (const id of messages)
      if (this.#readers > 0) this.#taken.add(id);
      else this.#inFlight.delete(id);
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
    const mine = this.#polling.then(async () => void (await this.#reading(look)));
    this.#polling = mine.catch(() => undefined);
    return mine;
  }

  /** A message that is taken while somebody reads stays in flight until the last reader has finished (N1). */
  async #reading<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#readers++;
    try {
      return await read();
    } finally {
      if (--this.#readers === 0) {
        for (const id of this.#taken) this.#inFlight.delete(id);
        this.#taken.clear();
      }
    }
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
        if (this.#ports.resumption.mayTake(message))
          await this.#deliveries.run(message.execution, () => this.#onMessage(message, held));
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
    try {
      if (this.#ports.resumption.includes(message.execution)) await this.#deliver(message);
      else await this.#deliverPosted(message.execution);
    } catch (error) {
      held.add(message.execution);
      if (!(error instanceof StartHeldBack)) this.#ports.report(error, message.execution);
    }
  }

  #pollAgain(): void {
    if (this.#isPollScheduled) return;
    this.#isPollScheduled = true;
    this.#ports.executions.after(AGAIN_MS, () => void this.#redeliverAll());
  }

  /** Messages for a quarantined execution are not in flight; they are delivered after its recovery. */
  async redeliver(id: ExecutionId): Promise<void> {
    const { messages } = await this.#ports.store.poll({ execution: id });
    this.nack(messages.map((message) => message.id));
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

  async #deliver(message: Message): Promise<void> {
    this.#inFlight.add(message.id);
    this.#ports.resumption.add(message.execution);
    try {
      await this.#dispatch(message);
    } catch (error) {
      this.#inFlight.delete(message.id);
      throw error;
    }
  }

  async #dispatch(message: Message): Promise<void> {
    const { executions, environment } = this.#ports;
    if (message.isUnreadable === true) throw undecodable(message);
    const command = parseCommand(message.body);
    if (command === undefined || !commandNames(command).every(isName)) return this.#discard(message, unread(message));
    if (command.kind === "start") return this.#startInSequence(message, command);
    if (command.kind === "retry") {
      const removal = await this.#payloadRemoval(message);
      if (removal !== undefined) return this.#discard(message, removal);
    }
    const happening = toHappening(command, environment.now(), this.#maskText);
    const outcome = await executions.deliverTo(message.execution, { happening, message: message.id });
    // Messages for a quarantined execution stay posted until an operator recovers it.
    if (outcome === "not-found") this.#discard(message);
  }

  async #payloadRemoval({ execution }: Message): Promise<SegnoError | undefined> {
    try {
      await assertPayloads(this.#ports.store, execution);
      return undefined;
    } catch (error) {
      if (!(error instanceof SegnoError) || error.code !== "PAYLOAD_REMOVED") throw error;
      return error;
    }
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
  async #claim(entry: IdempotencyEntry | undefined): Promise<ClaimResult> {
    if (entry === undefined) return { kind: "claimed", claim: undefined };
    try {
      const key = await this.#ports.keys.look(entry);
      if (key.kind === "held") return { kind: "refused", error: undefined };
      return { kind: "claimed", claim: { entry, previousWithKey: key.previousWithKey } };
    } catch (error) {
      if (!(error instanceof SegnoError) || error.code !== "IDEMPOTENCY_CONFLICT") throw error;
      return { kind: "refused", error };
    }
  }

  async #start(message: Message, command: StartCommand): Promise<StartedExecution> {
    const { executions, environment, store } = this.#ports;
    const { execution: id } = message;
    if ((await store.load(id)) !== undefined) return this.#drop(message, executionExists(id));
    if (message.isStart === true && executions.live(id) !== undefined) throw new StartHeldBack();
    if (executions.live(id) !== undefined || !(await this.#isFirstStart(message)))
      return this.#drop(message, executionExists(id));
    const key = await this.#claim(toIdempotencyEntry(command));
    if (key.kind === "refused") return this.#drop(message, key.error);
    const program = await startProgram(executions.journals, command);
    if (program instanceof SegnoError) return this.#drop(message, program);
    if (!isName(program.definition.name)) return this.#drop(message, unread(message));
    const execution = executions.create(id, command.definition, program, command.priority);
    execution.startContents = { definitions: [], keyClaim: key.claim };
    const { create, begin } = toCreation(id, command, environment.now());
    // Both deliveries are in one turn, so that a crash cannot leave an execution that never begins.
    execution.deliveries.add({ happening: create, message: message.id });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    executions.deliver(execution, { happening: begin, resolve: () => resolve(), reject: () => resolve() });
    return { settled };
  }

  /**
   * Only another program can post a second start (K12). It yields to the first one with the mark of a start. The store writes
   * no execution while another marked start is posted, so the later ones are discarded first.
   */
  async #isFirstStart(message: Message): Promise<boolean> {
    const { messages } = await this.#ports.store.poll({ execution: message.execution });
    const [first, ...later] = messages.filter(isUsableStart);
    if (first !== undefined && first.id !== message.id) return false;
    for (const each of later) {
      this.#inFlight.add(each.id);
      this.#discard(each, executionExists(each.execution));
    }
    return true;
  }

  /**
   * Takes a message that has no effect, so that it is not delivered again. Nobody waits for the answer to most messages,
   * so the reason is reported as a fault (N3).
   */
  #discard({ id, execution }: Message, reason?: SegnoError): void {
    const { executions, committer, report } = this.#ports;
    if (executions.isClosed || !executions.isOwned) return this.nack([id]);
    committer.commit(undefined, [id], (result) => {
      if (result.kind === "durable") {
        this.ack([id]);
        if (reason !== undefined) report(reason, execution);
        return;
      }
      if (executions.isClosed) return;
      report(result.error, undefined);
      this.nack([id]);
    });
  }

  #drop(message: Message, reason?: SegnoError): StartedExecution {
    this.#discard(message, reason);
    return { settled: Promise.resolve() };
  }
}
