// Starts executions: creates them here, or posts the start to the process that owns the store.
//
//   S1. A start resolves when the execution is durable and has begun, or when its message is durable.
//   S2. Starts with the same key or the same id are serialised; the second one finds the execution of the first
//       (IDEM-1). A start that is posted counts as an execution: its id is taken (K12).
//   S3. A start beyond the memory limit waits until an execution leaves memory (`start-capacity.ts`). Many starts are
//       made a few at a time, so that other work continues.

import { SegnoError, type CalledWorkflow, type ExecutionId, type Json, type State } from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import { Pace } from "../clock/pace.ts";
import { pollUntil } from "../clock/poll-until.ts";
import type { StartOptions } from "./start-options.ts";
import type { Executions } from "../executions/executions.ts";
import { KeyTaken } from "../idempotency/key-taken.ts";
import { checkKey, hashPayload, type KeyClaim, type Keys } from "../idempotency/keys.ts";
import { checkLabels } from "../checks/labels.ts";
import { checkName, toExecutionId } from "../checks/names.ts";
import type { Resumption } from "./resumption.ts";
import type { RegisteredWorkflow, Registry } from "../registry/registry.ts";
import type { Content, IdempotencyEntry, MessageId } from "../store/store.ts";
import { executionExists } from "../checks/execution-exists.ts";
import { parseCommand, toCreation, type StartCommand } from "./command.ts";
import type { StartCapacity } from "./start-capacity.ts";
import type { StoreAccess } from "./store-access.ts";
import { activeTraceparent } from "../tracing/tracing.ts";

export interface ExecutionStarterPorts {
  readonly access: StoreAccess;
  readonly environment: SystemPorts;
  readonly registry: Pick<Registry, "calledBy">;
  readonly executions: Executions;
  readonly keys: Keys;
  readonly capacity: StartCapacity;
  readonly resumption: Resumption;
}

/** The result of a start: an execution, or a message to the owner of the store. */
interface StartResult {
  readonly id: ExecutionId;
  readonly posted?: PostedStart;
}

interface PostedStart {
  readonly message: MessageId;
  /** Identifies the execution that the owner creates from the message. */
  readonly seed: number;
}

interface IdentifiedStart {
  readonly id: ExecutionId;
  readonly command: StartCommand;
}

/** How often to check whether the owner has taken a start. */
const LOOK_MS = 50;
/** How long a start with a key waits for the owner. An owner that runs takes a start within a few polls. */
const TAKEN_WITHIN_MS = 30_000;
/** The number of executions created per tick of the event loop. */
const STARTS_AT_ONCE = 128;

export class ExecutionStarter {
  readonly #ports: ExecutionStarterPorts;
  readonly #pace: Pace;

  constructor(ports: ExecutionStarterPorts) {
    this.#ports = ports;
    this.#pace = new Pace(ports.environment, STARTS_AT_ONCE);
  }

  /** `input` is a copy that nobody changes. */
  async start(registered: RegisteredWorkflow, input: Json, options: StartOptions): Promise<ExecutionId> {
    const { idempotencyKey: key, id, correlationId } = options;
    if (correlationId !== undefined) checkName("a correlation id", correlationId);
    if (key !== undefined) checkKey(key);
    checkLabels(options.labels);
    const turn = this.#pace.wait();
    if (turn !== undefined) await turn;
    if (id !== undefined) await this.#deliverPosted(toExecutionId(id));
    const begin = (claim?: KeyClaim): Promise<StartResult> => this.#startNow(registered, input, options, claim);
    const beginInTurn =
      id === undefined
        ? begin
        : (claim?: KeyClaim): Promise<StartResult> => this.#ports.keys.mutex.run(`id ${id}`, () => begin(claim));
    if (key === undefined) return (await beginInTurn()).id;
    const payload = hashPayload(registered.definition.name, input);
    const begun = await this.#ports.keys.mutex.run(`key ${key}`, () =>
      this.#startWithKey({ key, payload }, beginInTurn),
    );
    // Yields first: the owner may be this process, and then the message waits for its turn as well.
    return begun.posted === undefined ? begun.id : this.#awaitTaken(begun.id, begun.posted, { key, payload });
  }

  /** Messages that were acknowledged for the id come first. */
  async #deliverPosted(id: ExecutionId): Promise<void> {
    const { access } = this.#ports;
    access.assertOpen();
    if (access.isOwner) await access.afterPosted(id, () => undefined);
  }

  #join(id: ExecutionId): StartResult {
    this.#ports.resumption.adopt(id);
    return { id };
  }

  /**
   * If another start with the key became durable first, this start joins it, as if it had come later (K11). A start whose
   * id is taken looks once more, because the other start may have the same key.
   */
  async #startWithKey(entry: IdempotencyEntry, begin: (claim: KeyClaim) => Promise<StartResult>): Promise<StartResult> {
    for (let isRefused = false; ;) {
      const key = await this.#ports.keys.look(entry);
      if (key.kind === "held") return this.#join(key.id);
      try {
        return await begin({ entry, previousWithKey: key.previousWithKey });
      } catch (error) {
        if (error instanceof KeyTaken) continue;
        if (isRefused || !isExecutionExists(error)) throw error;
        isRefused = true;
      }
    }
  }

  async #startNow(
    registered: RegisteredWorkflow,
    input: Json,
    options: StartOptions,
    claim: KeyClaim | undefined,
  ): Promise<StartResult> {
    const { access, capacity } = this.#ports;
    access.assertOpen();
    const posted = options.id === undefined ? undefined : await this.#checkId(toExecutionId(options.id), claim?.entry);
    if (posted !== undefined) return posted;
    if (!access.isOwner) return this.#postStart(this.#toCommand(registered, input, options), registered);
    await capacity.reserve();
    access.assertOpen();
    const begun = this.#beginWithCapacity(registered, this.#toCommand(registered, input, options), claim);
    // From here on the execution is in memory, or never will be.
    capacity.release();
    return begun;
  }

  /**
   * Refuses an id that is taken. A posted start with the same key and payload is this start, which its caller repeats:
   * the result is that start. The inbox is read first, because a start that is taken meanwhile exists then.
   */
  async #checkId(id: ExecutionId, entry: IdempotencyEntry | undefined): Promise<StartResult | undefined> {
    const { access, executions } = this.#ports;
    const message = await access.postedStart(id);
    if (await executions.exists(id)) throw executionExists(id);
    if (message === undefined) return undefined;
    const command = parseCommand(message.body);
    if (entry === undefined || command?.kind !== "start" || !isSameEntry(toIdempotencyEntry(command), entry))
      throw executionExists(id);
    return { id, posted: { message: message.id, seed: command.seed } };
  }

  async #beginWithCapacity(
    registered: RegisteredWorkflow,
    named: IdentifiedStart,
    claim: KeyClaim | undefined,
  ): Promise<StartResult> {
    // Ownership may have been lost while the start waited for capacity.
    if (!this.#ports.access.isOwner) return this.#postStart(named, registered);
    await this.#create(named, registered, claim);
    return { id: named.id };
  }

  #toCommand(registered: RegisteredWorkflow, input: Json, options: StartOptions): IdentifiedStart {
    const { environment } = this.#ports;
    const id = toExecutionId(options.id ?? environment.id());
    this.#ports.resumption.add(id);
    const { idempotencyKey: key, traceparent = activeTraceparent() } = options;
    const workflows = this.#calledWorkflows(registered);
    const labels = checkLabels(options.labels);
    const command: StartCommand = {
      kind: "start",
      workflow: registered.definition.name,
      definition: registered.hash,
      input,
      seed: environment.seed(),
      correlationId: options.correlationId ?? id,
      priority: options.priority ?? 0,
      ...(key === undefined ? {} : { key }),
      ...(workflows === undefined ? {} : { workflows }),
      ...(labels === undefined ? {} : { labels }),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    return { id, command };
  }

  /** Resolves when the execution is durable and has begun. */
  async #create(
    { id, command }: IdentifiedStart,
    registered: RegisteredWorkflow,
    key: KeyClaim | undefined,
  ): Promise<void> {
    const { executions, environment } = this.#ports;
    const execution = executions.create(id, registered.hash, registered.program, command.priority);
    execution.agents = registered.agents;
    execution.startContents = { definitions: this.#calledDefinitions(registered), keyClaim: key, input: command.input };
    const { create, begin } = toCreation(id, command, environment.now());
    execution.deliveries.add({ happening: create });
    await new Promise<void>((resolve, reject) =>
      executions.deliver(execution, { happening: begin, resolve: () => resolve(), reject }),
    );
    const look = (): State | undefined => executions.live(id)?.state ?? executions.terminalState(id);
    if (key !== undefined) this.#ports.keys.hold(key.entry, id, look);
  }

  /** The workflows that the definition may call; undefined if it calls none, as most do. */
  #calledWorkflows(registered: RegisteredWorkflow): readonly CalledWorkflow[] | undefined {
    if (registered.references.length === 0) return undefined;
    return Array.from(this.#ports.registry.calledBy(registered), ([workflow, { hash }]) => ({
      workflow,
      definition: hash,
    }));
  }

  /** The definition itself, and those of the workflows that it may call. */
  #calledDefinitions(registered: RegisteredWorkflow): readonly Content[] {
    if (registered.references.length === 0) return [{ hash: registered.hash, body: registered.text }];
    const all = new Set([registered, ...this.#ports.registry.calledBy(registered).values()]);
    return Array.from(all, ({ hash, text }) => ({ hash, body: text }));
  }

  async #postStart({ id, command }: IdentifiedStart, registered: RegisteredWorkflow): Promise<StartResult> {
    const message = await this.#ports.access.post({
      execution: id,
      body: JSON.stringify(command),
      postedAt: this.#ports.environment.now(),
      isStart: true,
      definitions: this.#calledDefinitions(registered),
    });
    return { id, posted: { message, seed: command.seed } };
  }

  /** A start with a key may resolve to another execution. Only the owner knows, once it has taken the message. */
  async #awaitTaken(id: ExecutionId, { message, seed }: PostedStart, entry: IdempotencyEntry): Promise<ExecutionId> {
    const { access, environment, keys, executions } = this.#ports;
    const until = environment.monotonic() + TAKEN_WITHIN_MS;
    const look = async (): Promise<true | undefined> => {
      access.assertOpen();
      if (!(await access.isPosted(id, message))) return true;
      if (environment.monotonic() >= until) throw unansweredError(id);
      return undefined;
    };
    await pollUntil(look, () => executions.sleep(LOOK_MS));
    const created = (await executions.readState(id))?.created;
    if (created?.seed === seed) return id;
    const joined = await keys.last(entry.key, entry.payload);
    if (joined !== undefined) return this.#join(joined).id;
    if (created !== undefined) throw executionExists(id);
    throw new SegnoError(
      "EXECUTION_UNKNOWN",
      `the owner of the store took the start ${id} but created no execution; its log has the reason`,
    );
  }
}

/** Without an owner nobody can say which execution the key belongs to. */
function unansweredError(id: ExecutionId): SegnoError {
  return new SegnoError(
    "START_UNANSWERED",
    `no owner of the store has consumed the start ${id} within ${TAKEN_WITHIN_MS / 1000} seconds; it stays posted for the ` +
      "next owner, and a start with the same key then returns its execution",
  );
}

/** The idempotency entry that the first append of a start with a key writes. */
export function toIdempotencyEntry(command: StartCommand): IdempotencyEntry | undefined {
  return command.key === undefined
    ? undefined
    : { key: command.key, payload: hashPayload(command.workflow, command.input) };
}

function isSameEntry(one: IdempotencyEntry | undefined, other: IdempotencyEntry): boolean {
  return one?.key === other.key && one.payload === other.payload;
}

function isExecutionExists(error: unknown): boolean {
  return error instanceof SegnoError && error.code === "EXECUTION_EXISTS";
}
