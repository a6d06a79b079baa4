// The intake: what other processes posted, on its way to the executions (LEASE-5).
//
//   N1. A message is in hand from the moment it is delivered until it is taken in the transaction of a turn. While it is in
//       hand it is not delivered again; when it is put back, or could not be delivered, it comes with the next look.
//   N2. Messages for one execution are delivered in the order in which they were posted.
//   N3. What is no wish, or cannot lead to anything, is taken and dropped; so is a wish with a name that no store could keep.
//   N4. Only an owner takes: when the store is lost, what was not delivered yet stays where it is.
//   N5. A look reads what was posted since the look before, a page at a time. Everything is looked at when the store is owned
//       anew, and once a minute.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Executions } from "../executions.ts";
import type { KeyClaim, Keys } from "../idempotency/keys.ts";
import { isName } from "../names.ts";
import { assertPayloads } from "../payload-removal.ts";
import type { Resumption } from "../recovery/resumption.ts";
import type { RegisteredWorkflow } from "../registry.ts";
import type { Sequence } from "../sequence.ts";
import type { IdempotencyEntry, Message, MessageId, Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { entryOf } from "../starts.ts";
import { creationOf, happeningOf, parseWish, type StartWish, type Wish } from "../wish.ts";

export interface IntakePorts {
  readonly executions: Executions;
  readonly environment: Environment;
  readonly store: Store;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly keys: Keys;
  readonly resumption: Resumption;
  /** Starts of one id, or with one key, wait for each other. */
  readonly sequence: Sequence;
}

/** A start that was handed over; settled when it is durable, or will never be. */
interface Started {
  readonly settled: Promise<void>;
}

/** How long to wait before what could not be delivered is looked at again. */
const AGAIN_MS = 200;
/** So many messages are looked at before others have their turn. */
const PAGE = 128;

export class Intake {
  readonly #ports: IntakePorts;
  readonly #inHand = new Set<MessageId>();
  /** Everything up to this message was handed over, or is gone. */
  #after: MessageId = 0;
  /** A message that is put back during a look is seen by the next one, however far this one comes. */
  #afterMax: MessageId = Number.POSITIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #isLookSet = false;

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  /** Looks at what was posted since the last look, and at what could not be delivered then. */
  take(): Promise<void> {
    return this.#inTurn(() => this.#look());
  }

  /** Looks at everything that is posted. */
  takeAll(): Promise<void> {
    return this.#inTurn(async () => {
      this.#after = 0;
      const seen = new Set<MessageId>();
      if (!(await this.#look(seen))) return;
      for (const id of this.#inHand) if (!seen.has(id)) this.#inHand.delete(id);
    });
  }

  /** They are durably taken, and will not be posted any more. */
  taken(messages: readonly MessageId[]): void {
    for (const id of messages) this.#inHand.delete(id);
  }

  /** They were in hand of an execution that was let go. */
  putBack(messages: readonly MessageId[]): void {
    if (messages.length === 0) return;
    for (const id of messages) {
      this.#inHand.delete(id);
      this.#afterMax = Math.min(this.#afterMax, id - 1);
      this.#after = Math.min(this.#after, this.#afterMax);
    }
    this.#lookAgain();
  }

  /** One look after the other. */
  #inTurn<Result>(look: () => Promise<Result>): Promise<void> {
    const mine = this.#looking.then(async () => void (await look()));
    this.#looking = mine.catch(() => undefined);
    return mine;
  }

  /** Page by page (N5). False when the store was lost meanwhile. */
  async #look(seen?: Set<MessageId>): Promise<boolean> {
    const held = new Set<ExecutionId>();
    let isLeft = false;
    this.#afterMax = Number.POSITIVE_INFINITY;
    for (let after = this.#after; ;) {
      const { messages } = await this.#ports.store.poll({ after, limit: PAGE });
      for (const message of messages) {
        if (!this.#ports.executions.isOwned) return false;
        seen?.add(message.id);
        // What is left alone may become this engine's own later.
        if (this.#ports.resumption.mayTake(message)) await this.#see(message, held);
        else isLeft = true;
        if (held.size === 0 && !isLeft) this.#after = Math.min(message.id, this.#afterMax);
      }
      if (messages.length < PAGE) break;
      after = messages.at(-1)!.id;
      await new Promise<void>((resolve) => this.#ports.environment.defer(resolve));
    }
    if (held.size > 0) this.#lookAgain();
    return true;
  }

  /** What comes behind a message that could not be delivered, for the same execution, is held as well (N2). */
  async #see(message: Message, held: Set<ExecutionId>): Promise<void> {
    if (held.has(message.execution) || this.#inHand.has(message.id)) return;
    if (!(await this.#deliver(message))) held.add(message.execution);
  }

  #lookAgain(): void {
    if (this.#isLookSet) return;
    this.#isLookSet = true;
    this.#ports.executions.after(AGAIN_MS, () => void this.#takeAgain());
  }

  /** What was posted for an execution that was set aside is in nobody's hand: it is delivered when that one is back. */
  async redeliver(id: ExecutionId): Promise<void> {
    const { messages } = await this.#ports.store.poll();
    for (const { id: message, execution } of messages) if (execution === id) this.#inHand.delete(message);
    await this.take();
  }

  async #takeAgain(): Promise<void> {
    this.#isLookSet = false;
    if (!this.#ports.executions.isOwned) return;
    try {
      await this.take();
    } catch (error) {
      this.#ports.report(error, undefined);
      this.#lookAgain();
    }
  }

  async #deliver(message: Message): Promise<boolean> {
    this.#inHand.add(message.id);
    this.#ports.resumption.add(message.execution);
    try {
      await this.#hand(message);
      return true;
    } catch (error) {
      this.#inHand.delete(message.id);
      this.#ports.report(error, message.execution);
      return false;
    }
  }

  async #hand(message: Message): Promise<void> {
    const { executions, environment } = this.#ports;
    const wish = parseWish(message.body);
    if (wish === undefined || !namesOf(wish).every(isName)) return this.#discardUnread(message);
    if (wish.kind === "start") return this.#startInTurn(message, wish);
    if (wish.kind === "retry" && !(await this.#hasPayloads(message))) return executions.discard(message.id);
    const happening = happeningOf(wish, environment.now());
    const arrival = await executions.deliverTo(message.execution, { happening, message: message.id });
    // What is for an execution that was set aside stays posted, until a person has seen to it.
    if (arrival === "unknown") executions.discard(message.id);
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
  #startInTurn(message: Message, wish: StartWish): Promise<void> {
    const { sequence } = this.#ports;
    const start = (): Promise<Started> => sequence.run(`id ${message.execution}`, () => this.#start(message, wish));
    const { promise: handed, resolve, reject } = Promise.withResolvers<void>();
    const handOver = async (): Promise<void> => {
      const { settled } = await start();
      resolve();
      await settled;
    };
    (wish.key === undefined ? handOver() : sequence.run(`key ${wish.key}`, handOver)).catch(reject);
    return handed;
  }

  /** A start with a key joins what the key stands for, or is refused by it: either way nothing is made (IDEM-1). */
  async #claimOf(entry: IdempotencyEntry): Promise<KeyClaim | "held"> {
    try {
      const found = await this.#ports.keys.look(entry);
      return found.kind === "held" ? "held" : { entry, after: found.after };
    } catch (error) {
      if (error instanceof SegnoError && error.code === "IDEMPOTENCY_CONFLICT") return "held";
      throw error;
    }
  }

  async #start(message: Message, wish: StartWish): Promise<Started> {
    const { executions, environment, store } = this.#ports;
    const { execution: id } = message;
    if (executions.live(id) !== undefined || (await store.load(id)) !== undefined) return this.#drop(message);
    const entry = entryOf(wish);
    const key = entry === undefined ? undefined : await this.#claimOf(entry);
    if (key === "held") return this.#drop(message);
    const program = await this.#program(wish);
    if (program === undefined || !isName(program.definition.name)) return this.#drop(message);
    const execution = executions.create(id, wish.definition, program, wish.priority);
    execution.firstAppend = { definitions: [], key };
    const { create, begin } = creationOf(id, wish, environment.now());
    // In one turn, so that no crash finds an execution that nobody will begin.
    execution.inbox.add({ happening: create, message: message.id });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    executions.deliver(execution, { happening: begin, answer: () => resolve(), refuse: () => resolve() });
    return { settled };
  }

  #drop(message: Message): Started {
    this.#ports.executions.discard(message.id);
    return { settled: Promise.resolve() };
  }

  /** The definition that came with the start; nothing when there is none, or it cannot run. */
  async #program(wish: StartWish): Promise<RegisteredWorkflow["program"] | undefined> {
    try {
      const { journals } = this.#ports.executions;
      for (const { definition } of wish.workflows ?? []) await journals.definition(definition);
      return await journals.definition(wish.definition);
    } catch (error) {
      if (!(error instanceof SegnoError) || error instanceof StoreFault) throw error;
      this.#ports.report(error, undefined);
      return undefined;
    }
  }
}

function namesOf(wish: Wish): readonly string[] {
  switch (wish.kind) {
    case "start":
      return [wish.workflow, wish.correlationId];
    case "signal":
      return [wish.id, wish.name];
    case "vote":
      return [wish.step, wish.id, wish.by];
    case "cancel":
    case "pause":
    case "resume":
    case "retry":
      return [];
  }
}
