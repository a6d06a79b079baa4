// The extension port of an engine: what parts that are built on an engine need beside its public methods.
//
//   E1. It reads, listens, sets timers, starts processes that an attempt owns, and keeps documents. Changes of an
//       execution go through the public methods.
//   E2. The states of `read` and `live` are the engine's own objects: callers read them and never change them. The states
//       of `initial` and `fold` belong to the caller, who folds the events that the engine publishes.

import { foldAll, isTerminalStatus, type ContentHash, type ExecutionId, type Json, type State } from "@segno/kernel";
import type { StepContext } from "../agents/step-context.ts";
import type { AttemptProcesses } from "../attempts/attempt-processes.ts";
import type { Executions } from "../executions/executions.ts";
import type { OwnedProcess, ProcessCommand } from "../runners/process/owned-process.ts";
import type { NamedSecrets } from "../secrets/named-secrets.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import type { Metric } from "../metrics/metric.ts";
import type { MetricsRegistry } from "../metrics/metrics-registry.ts";
import type { DocumentStore } from "../store/document-store.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";
import type { EndListener } from "../turn/end-listeners.ts";

/** The executions that this process has in memory. */
export interface Workload {
  /** The process decides no turn and waits for no commit. */
  readonly isQuiet: boolean;
  readonly executions: readonly { readonly id: ExecutionId; readonly runningSteps: number }[];
}

/** The states of executions (E2). */
export interface ExecutionStates {
  /** The durable state of an execution; undefined if there is no such execution. */
  read(id: ExecutionId): Promise<State | undefined>;
  /** The state of an execution that is in memory, with events that are not durable yet. */
  live(id: ExecutionId): State | undefined;
  /** The state of an execution with this definition before its first event. */
  initial(definition: ContentHash): Promise<State>;
  /** The state after the durable events up to this sequence number, or after all; undefined if there is no such execution. */
  fold(id: ExecutionId, upTo?: number): Promise<State | undefined>;
  /**
   * A text that changes with everything that can be read of an execution that has ended, for caches. It is read from one row.
   * Undefined while the execution runs, and if there is no such execution.
   */
  endedVersion(id: ExecutionId): Promise<string | undefined>;
}

/** The parts of an engine that actions, batches, task engines and the command use beside its public methods. */
export interface EngineExtensions {
  /** The file of the journal, beside which other parts may keep records; undefined if there is no file. */
  readonly journalFile: string | undefined;
  /** Documents that programs keep in the store beside the journals; undefined if the store keeps none. */
  readonly documents: DocumentStore | undefined;
  /** The states of executions. */
  readonly states: ExecutionStates;
  /** Values of an execution that lie beside its journal. A value that the store does not have is not in the answer. */
  readValues(id: ExecutionId, hashes: readonly ContentHash[]): Promise<ReadonlyMap<ContentHash, Json>>;
  /** A secret that the caller itself uses, from the engine's source. It is masked from then on (DATA-9). */
  readSecret(name: string): Promise<string>;
  /** Calls back once, with the state in which the execution ended. Gives back how to stop listening. */
  onEnd(id: ExecutionId, listener: EndListener): () => void;
  /** Calls back each time that this process loses the store. */
  onOwnershipLost(listener: () => void): void;
  /** Calls back once, after a while on the engine's clock, unless the engine is closed by then. Gives back how to stop it. */
  after(ms: number, call: () => void): () => void;
  /** Adds metrics to `engine.metrics()`, which reads them each time. Gives back how to remove them. */
  addMetrics(read: () => readonly Metric[]): () => void;
  /** The work that this engine has now. */
  workload(): Workload;
  /**
   * Starts a process that the attempt with this context owns, as long as the attempt runs and should not stop. The agent
   * has to run on the main thread. The process gets SIGTERM when the attempt is aborted, and SIGKILL when it is stopped by
   * force. The attempt ends after all its processes have exited: those that run when the agent returns are stopped.
   */
  spawn(context: Omit<StepContext, "input">, command: ProcessCommand): OwnedProcess;
  /** Returns a masker of secrets for one stream of bytes that the agent with this context writes elsewhere (DATA-9). */
  newStreamMasker(context: Omit<StepContext, "input">): StreamMasker;
}

/** A read of the store has folded the whole journal, into a state that nothing else uses. */
async function foldJournal(executions: Executions, id: ExecutionId, upTo: number): Promise<State | undefined> {
  const here = executions.historyInMemory(id)?.events;
  const read = here === undefined ? await executions.journals.read(id) : undefined;
  if (read !== undefined && read.state.seq <= upTo) return read.state;
  const events = here ?? read?.events ?? [];
  const [created] = events;
  // Without a store, only the latest events are in memory.
  if (created?.kind !== "execution.created") return undefined;
  const state = await executions.journals.loadInitialState(created.definition);
  return foldAll(
    state,
    events.filter(({ seq }) => seq <= upTo),
  );
}

async function readEndedVersion(
  executions: Executions,
  store: Pick<Store, "loadLast">,
  id: ExecutionId,
): Promise<string | undefined> {
  if (executions.live(id) !== undefined) return undefined;
  const last = await store.loadLast(id);
  if (last === undefined || !isTerminalStatus(last.projection.status)) return undefined;
  return `${last.projection.head} ${last.payloadsRemovedAt ?? ""}`;
}

/** The parts of an engine that hold executions, slots and resources. */
export interface EngineMemory {
  readonly executions: Executions;
  readonly admission: AdmissionController;
}

const MEMORY = new WeakMap<EngineExtensions, EngineMemory>();

/** The parts of an engine that extensions read and start processes with. */
export interface ExtensionPorts {
  readonly store: Pick<Store, "contents" | "loadLast">;
  readonly documents: DocumentStore | undefined;
  readonly processes: Pick<AttemptProcesses, "spawn" | "newStreamMasker">;
  readonly secrets: Pick<NamedSecrets, "read">;
  readonly journalFile: string | undefined;
  readonly metrics: Pick<MetricsRegistry, "add">;
}

export function openExtensions(memory: EngineMemory, ports: ExtensionPorts): EngineExtensions {
  const { store, documents, processes, secrets, journalFile, metrics } = ports;
  const { executions } = memory;
  const extensions: EngineExtensions = {
    journalFile,
    documents,
    states: {
      read: (id) => executions.readState(id),
      live: (id) => executions.live(id)?.state,
      initial: (definition) => executions.journals.loadInitialState(definition),
      endedVersion: (id) => readEndedVersion(executions, store, id),
      fold: (id, upTo = Number.POSITIVE_INFINITY) => foldJournal(executions, id, upTo),
    },
    readValues: async (id, hashes) => {
      const bodies = await store.contents({ kind: "values", execution: id, hashes });
      return new Map(Array.from(bodies, ([hash, body]) => [hash, JSON.parse(body) as Json]));
    },
    readSecret: (name) => secrets.read(name),
    onEnd: (id, listener) => executions.onEnd(id, listener),
    onOwnershipLost: (listener) => executions.onReleased(listener),
    after: (ms, call) => executions.after(ms, call),
    addMetrics: (source) => metrics.add(source),
    workload: () => ({
      isQuiet: executions.isQuiet,
      executions: Array.from(executions.all(), ({ id, attempts }) => ({ id, runningSteps: attempts.size })),
    }),
    spawn: (context, command) => processes.spawn(context, command),
    newStreamMasker: (context) => processes.newStreamMasker(context),
  };
  MEMORY.set(extensions, memory);
  return extensions;
}

/** For tests, which look at what an engine holds in memory. */
export function memoryBehind(extensions: EngineExtensions): EngineMemory {
  return MEMORY.get(extensions)!;
}
