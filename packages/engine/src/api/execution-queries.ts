// Queries on an execution: its status, events, logs and result, whichever process runs it.

import {
  isRunning,
  isTerminalStatus,
  notUndoneSteps,
  toleratedFailureCount,
  SegnoError,
  toSnapshot,
  listArtifacts,
  outputStepIndex,
  statusReason,
  stepNamed,
  stepStatus,
  stepOutput,
  stepRelations,
  type ContentHash,
  type EpochMs,
  type ExecutionId,
  type Json,
  type State,
  type StepArtifact,
  type Value,
} from "@segno/kernel";
import { Fifo } from "@segno/kernel/fifo";
import type { Bus } from "../events/bus.ts";
import { inlineContext, isCompleted } from "../events/final-context.ts";
import { toPublicEvents, type WatchEvent } from "../events/watch-event.ts";
import { endError, failedStepName } from "./execution-end.ts";
import type { EventReadOptions, ExecutionReport, StepReport } from "./execution-handle.ts";
import type { Executions } from "../executions/executions.ts";
import { itemLabels, labelsAtHand, type LabelOf } from "../journal/item-labels.ts";
import { readLogs } from "../logs/log-reader.ts";
import type { LogWriter } from "../logs/log-writer.ts";
import type { ArtifactFolder } from "../artifacts/artifact-folder.ts";
import type { EngineStore } from "../store/engine-store.ts";
import type { StepProgress } from "../store/step-progress.ts";
import type { StoredLine } from "../store/step-logs.ts";
import { readValues } from "../store/stored-values.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { AdmissionExplainer } from "../why/admission-explainer.ts";
import type { Waiting } from "../why/reason.ts";
import { Listing, type ExecutionList, type ListFilter } from "./listing.ts";
import { why } from "../why/why.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

/** The poll interval for an execution that another process owns. */
const FOLLOW_MS = 50;
/** Events that wait for the caller of `events`. */
const WAITING_MAX = 10_000;

/** The log lines that `engine.logs` yields. */
export interface LogOptions {
  /** Returns only lines of this step. */
  readonly step?: string;
  /** Waits for further lines until the execution ends. The default is false. */
  readonly follow?: boolean;
  /** Ends the iteration when it aborts. */
  readonly signal?: AbortSignal;
}

export interface ExecutionQueriesPorts {
  readonly access: StoreAccess;
  readonly environment: SystemPorts;
  readonly executions: Executions;
  readonly bus: Bus;
  readonly logs: Pick<LogWriter, "flush">;
  readonly explainer: AdmissionExplainer;
  readonly artifacts: Pick<ArtifactFolder, "copy">;
}

export class ExecutionQueries {
  readonly #ports: ExecutionQueriesPorts;
  readonly #store: EngineStore;
  readonly #listing: Listing;

  constructor(ports: ExecutionQueriesPorts) {
    this.#ports = ports;
    this.#store = ports.access.store;
    this.#listing = new Listing(this.#store, ports.environment);
  }

  /**
   * Rejects with `EXECUTION_UNKNOWN` if there is no such execution. One whose start is posted will exist. The second look
   * finds one that is created between the first and the look at the inbox.
   */
  async assertExists(id: ExecutionId): Promise<void> {
    const { access, executions } = this.#ports;
    if (await executions.exists(id)) return;
    if ((await access.postedStart(id)) !== undefined || (await executions.exists(id))) return;
    throw unknownExecution(id);
  }

  list(filter: ListFilter, cursor: string | undefined): Promise<ExecutionList> {
    return this.#listing.page(filter, cursor);
  }

  async status(id: ExecutionId): Promise<ExecutionReport> {
    const state = await this.#readState(id);
    const snapshot = toSnapshot(state);
    const notUndone = notUndoneSteps(state);
    const toleratedFailures = toleratedFailureCount(state);
    const toLabel = await this.#readLabels(id, state);
    const heartbeats: Record<string, EpochMs> = {};
    for (const { step, lastHeartbeatAt } of this.#ports.executions.live(id)?.attempts.values() ?? [])
      if (lastHeartbeatAt !== undefined) heartbeats[step] = lastHeartbeatAt;
    const toRelation = stepRelations(state);
    const steps = snapshot.steps.flatMap((step, index) => {
      const relation = toRelation(index);
      if (relation === undefined) return [];
      // A due retry that is queued for admission; only the process that runs it knows this.
      const status = stepStatus(state, index) === "queued" ? "queued" : step.status;
      return [withLabel({ ...step, status, place: index, ...relation }, toLabel(index))];
    });
    const [reason, failedStep] = [statusReason(state), failedStepName(state)];
    const payloadsRemovedAt = isTerminalStatus(state.baseStatus) ? await this.#readRemoval(id) : undefined;
    return {
      ...snapshot,
      steps,
      ...(reason === undefined ? {} : { reason }),
      ...(state.hold?.kind === "parked" ? { cause: state.hold.cause } : {}),
      ...(failedStep === undefined ? {} : { failedStep }),
      ...(notUndone.length === 0 ? {} : { notUndone }),
      ...(toleratedFailures === 0 ? {} : { toleratedFailures }),
      ...(payloadsRemovedAt === undefined ? {} : { payloadsRemovedAt }),
      heartbeats,
      progress: await this.#currentProgress(id, state),
    };
  }

  /** From memory in the process that runs the execution, from the store in another one. */
  async progress(id: ExecutionId): Promise<readonly StepProgress[]> {
    const live = this.#ports.executions.live(id);
    if (live === undefined) return (await this.#store.readProgress?.(id)) ?? [];
    return Array.from(live.attempts.values(), ({ progress }) => progress).filter((each) => each !== undefined);
  }

  /** The progress of the attempts that run. */
  async #currentProgress(id: ExecutionId, state: State): Promise<Readonly<Record<string, StepProgress>>> {
    const progress: Record<string, StepProgress> = {};
    if (isTerminalStatus(state.baseStatus)) return progress;
    for (const each of await this.progress(id)) {
      const step = stepNamed(state, each.step);
      if (step !== undefined && isRunning(state, step, each.epoch)) progress[each.step] = each;
    }
    return progress;
  }

  /** Reads the log lines of the steps. With `follow` it continues until the execution ends. */
  async *logs(id: ExecutionId, { step, follow = false, signal }: LogOptions): AsyncGenerator<StoredLine> {
    const { executions, logs } = this.#ports;
    const store = this.#store;
    if (store.readLogs === undefined) throw new SegnoError("STORE_UNSUPPORTED", "this store does not keep step logs");
    await logs.flush();
    const request = { execution: id, ...(step === undefined ? {} : { step }) };
    yield* readLogs({ readLogs: (page) => store.readLogs!(page) }, request, {
      follow,
      ...(signal === undefined ? {} : { signal }),
      isEnded: async () => isTerminalStatus((await this.#readState(id)).baseStatus),
      wait: () => executions.sleep(FOLLOW_MS),
    });
  }

  async why(id: ExecutionId, step: string | undefined): Promise<readonly Waiting[]> {
    const { environment, explainer } = this.#ports;
    const state = await this.#readState(id);
    const admissionReasons = await explainer.reasons(id);
    const now = environment.now();
    const waiting = why({ state, now, step, admissionReasons, labelOf: await this.#readLabels(id, state) });
    if (step === undefined || waiting.some((each) => each.step === step)) return waiting;
    throw unknownStep(id, step);
  }

  #readLabels(id: ExecutionId, state: State): Promise<LabelOf> {
    return itemLabels(id, state, this.#store, this.#ports.executions.live(id)?.values);
  }

  async #readState(id: ExecutionId): Promise<State> {
    const state = await this.#ports.executions.readState(id);
    if (state === undefined) throw unknownExecution(id);
    return state;
  }

  async result(id: ExecutionId): Promise<Json> {
    this.#ports.access.assertOpen();
    const { executions } = this.#ports;
    const isStored = executions.live(id) === undefined && executions.terminalState(id) === undefined;
    const completed = isStored ? await executions.journals.completion(id) : undefined;
    if (completed !== undefined && completed.output.kind !== "gathered") return this.#readValue(id, completed.output);
    const state = await this.#awaitEnd(id);
    if (state.baseStatus === "failed" || state.baseStatus === "cancelled") throw endError(id, state);
    return this.#readValue(id, state.result);
  }

  /** Resolves when the execution has ended, with any status. */
  async end(id: ExecutionId): Promise<void> {
    await this.#awaitEnd(id);
  }

  /** The complete output of a step; undefined if it has none. */
  async output(id: ExecutionId, step: string): Promise<Json | undefined> {
    const state = await this.#readState(id);
    const index = outputStepIndex(state, step);
    if (index === undefined) throw unknownStep(id, step);
    const inMemory = stepOutput(state, index, () => undefined);
    if (inMemory === undefined || inMemory.needs.length === 0) return inMemory?.output;
    const values = await this.#readValues(id, inMemory.needs);
    return stepOutput(state, index, (hash) => values.get(hash))?.output;
  }

  /** The files that the steps have kept, or those of one step. */
  async artifacts(id: ExecutionId, step: string | undefined): Promise<readonly StepArtifact[]> {
    const state = await this.#readState(id);
    if (step !== undefined && outputStepIndex(state, step) === undefined) throw unknownStep(id, step);
    const all = listArtifacts(state);
    return step === undefined ? all : all.filter((artifact) => isOfStep(artifact.step, step));
  }

  /** Copies one file; rejects if there is none with this path, or if it was damaged or removed. */
  async copyArtifact(id: ExecutionId, step: string, path: string, to: string): Promise<void> {
    const artifact = (await this.artifacts(id, step)).find((each) => each.step === step && each.path === path);
    if (artifact === undefined)
      throw new SegnoError("ARTIFACT_NOT_FOUND", `\`${step}\` of the execution ${id} has no artifact \`${path}\``);
    if ((await this.#readRemoval(id)) !== undefined) throw await this.#missing(id);
    await this.#ports.artifacts.copy(id, artifact, to);
  }

  async #readValue(id: ExecutionId, value: Value | undefined): Promise<Json> {
    if (value?.kind !== "stored") return value?.kind === "inline" ? value.json : null;
    return (await this.#readValues(id, [value.hash])).get(value.hash)!;
  }

  async #readValues(id: ExecutionId, hashes: readonly ContentHash[]): Promise<ReadonlyMap<ContentHash, Json>> {
    const bodies = await readValues(this.#store, id, hashes);
    if (hashes.some((hash) => !bodies.has(hash))) throw await this.#missing(id);
    return new Map(Array.from(bodies, ([hash, body]) => [hash, JSON.parse(body) as Json]));
  }

  /** When the payloads of an execution were removed; undefined if they were not. */
  async #readRemoval(id: ExecutionId): Promise<EpochMs | undefined> {
    const loaded = await this.#store.load(id);
    return loaded?.kind === "execution" ? loaded.payloadsRemovedAt : undefined;
  }

  /** The error for a missing value: its payload was removed on request, or it is lost. */
  async #missing(id: ExecutionId): Promise<SegnoError> {
    return (await this.#readRemoval(id)) !== undefined
      ? new SegnoError("PAYLOAD_REMOVED", `the output of the execution ${id} was removed from the store`)
      : new SegnoError("STORE_CORRUPT", `the output of the execution ${id} is missing from the store`);
  }

  /** Waits for the end, in this process or in the one that owns the execution. */
  async #awaitEnd(id: ExecutionId): Promise<State> {
    const { executions } = this.#ports;
    // Without a store only the most recent terminal states are cached, so this one is read before others evict it.
    const remembered = executions.terminalState(id);
    if (remembered !== undefined) return remembered;
    for (;;) {
      this.#ports.access.assertOpen();
      // Limits concurrent reads when many callers ask for ended executions.
      const wait = executions.live(id) === undefined ? executions.journals.waitToRead() : undefined;
      if (wait !== undefined) await wait;
      // Subscribes before it reads, so that it does not miss an end in between.
      const { promise: end, resolve } = Promise.withResolvers<State | undefined>();
      const stop = executions.onEnd(id, resolve);
      try {
        const isLive = executions.live(id) !== undefined;
        const state = isLive ? undefined : await this.#readStored(id);
        if (state !== undefined && isTerminalStatus(state.baseStatus)) return state;
        if (!this.#isOwnedHere(id) || (!isLive && state === undefined)) await executions.sleep(FOLLOW_MS);
        else {
          const ended = await end;
          if (ended !== undefined) return ended;
        }
      } finally {
        stop();
      }
    }
  }

  /**
   * Undefined while the start is still in the inbox. The owner takes the start and creates the execution in one commit.
   * So an execution that is neither posted nor stored was removed, or never existed.
   */
  async #readStored(id: ExecutionId): Promise<State | undefined> {
    const { executions } = this.#ports;
    const stored = await executions.readState(id);
    if (stored !== undefined) return stored;
    const { messages } = await this.#store.poll({ execution: id, limit: 1 });
    if (messages.length > 0) return undefined;
    const state = await executions.readState(id);
    if (state === undefined) throw unknownExecution(id);
    return state;
  }

  /**
   * True if this process publishes the end of the execution: the execution is in memory, or is idle in a store that
   * this process owns.
   */
  #isOwnedHere(id: ExecutionId): boolean {
    return this.#ports.executions.live(id) !== undefined || this.#ports.access.isOwner;
  }

  /** Reads past events from the store, or from memory if there is no store. Undefined if the execution does not exist. */
  async history(id: ExecutionId, after: number): Promise<readonly WatchEvent[] | undefined> {
    const { executions } = this.#ports;
    const events = executions.historyInMemory(id)?.events;
    if (events === undefined) return executions.journals.history(id, after);
    const state = executions.live(id)?.state ?? executions.terminalState(id)!;
    const values = { value: () => undefined, checkSchema: () => [] };
    const context = isCompleted(events) ? inlineContext(state, values) : undefined;
    return toPublicEvents(id, state, events, { labelOf: labelsAtHand(state, values), context, after });
  }

  /** Yields stored events, then live ones. It reads the store again if it detects a gap. */
  async *events(id: ExecutionId, { after = 0, signal }: EventReadOptions): AsyncGenerator<WatchEvent> {
    const waiting = new Fifo<WatchEvent>();
    let wake = (): void => undefined;
    const stop = this.#ports.bus.subscribe({ executionId: id }, ({ events }) => {
      // A caller that stopped reading must not fill the memory. What is left out here is a gap, and is read from the store.
      if (waiting.size + events.length > WAITING_MAX) waiting.clear();
      for (const event of events.slice(-WAITING_MAX)) waiting.add(event);
      wake();
    });
    const leave = (): void => wake();
    const isLeft = (): boolean => signal?.aborted === true;
    signal?.addEventListener("abort", leave);
    try {
      // The event `after` itself is read, because it may be the end.
      for (let seq = Math.max(0, after - 1); !isLeft();) {
        this.#ports.access.assertOpen();
        let last: WatchEvent | undefined;
        const history = await this.history(id, seq);
        if (history === undefined && this.#ports.executions.live(id) === undefined) await this.#readStored(id);
        for (const event of history ?? []) {
          last = event;
          if (event.seq > after) yield event;
          seq = event.seq;
        }
        if (last !== undefined && isEnd(last)) return;
        while (this.#isOwnedHere(id) || waiting.size > 0) {
          if (isLeft()) return;
          const event = waiting.take();
          if (event === undefined) {
            // If the engine was closed during the read, no event arrives any more.
            this.#ports.access.assertOpen();
            const { promise, resolve } = Promise.withResolvers<void>();
            wake = resolve;
            const forget = this.#ports.executions.onEnd(id, () => resolve());
            await promise.finally(forget);
            this.#ports.access.assertOpen();
            continue;
          }
          if (event.seq <= seq) continue;
          if (event.seq > seq + 1) break;
          seq = event.seq;
          yield event;
          if (isEnd(event)) return;
        }
        await this.#ports.executions.sleep(FOLLOW_MS);
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", leave);
    }
  }
}

function unknownStep(id: ExecutionId, step: string): SegnoError {
  return new SegnoError("STEP_UNKNOWN", `the execution ${id} has no step \`${step}\``);
}

function withLabel(step: StepReport, label: string | undefined): StepReport {
  return label === undefined ? step : { ...step, label };
}

function isEnd({ kind }: WatchEvent): boolean {
  return kind === "execution.completed" || kind === "execution.failed" || kind === "execution.cancelled";
}

/** The step itself, or a step inside of it: an item of a map, or a step of a called workflow. */
function isOfStep(name: string, step: string): boolean {
  return name === step || name.startsWith(`${step}/`);
}
