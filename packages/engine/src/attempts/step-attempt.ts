// One attempt of a step, for runners and for the engine. There is one for every running step, so it holds a few
// references and computes everything else on demand.

import {
  agentName,
  compiledStep,
  enclosingMaps,
  enclosingInput,
  isJsonObject,
  isRunning,
  itemLabel,
  stepName,
  enclosingWorkflow,
  type EpochMs,
  type Event,
  type ExecutionId,
  type Happening,
  type Json,
  type JsonObject,
  type Outcome,
  type Reply,
  type AgentDefinition,
  type RunnableAction,
  type RunEffect,
  type State,
  type StepIndex,
  type Value,
  type HandlerData,
  type IterationData,
} from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { StepLogger } from "../events/logger.ts";
import { attemptTraceparent } from "../checks/trace-context.ts";
import { attemptToken } from "../idempotency/token.ts";
import type { AttemptLog } from "../logs/log-writer.ts";
import { claimedResources } from "../scheduler/resources/claim-maker.ts";
import type { Agent } from "../agents/agent.ts";
import type { ProgressValue } from "../agents/progress.ts";
import type { ExecutionInfo, ReceivedArtifacts, StepInfo } from "../agents/step-context.ts";
import type { CallRecorder } from "../runners/recorded-calls.ts";
import type { Attempt, RenderedAction, AttemptHandle } from "../runners/runner.ts";
import type { Mask } from "../secrets/masker.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import { injectSecrets } from "../secrets/inject-secrets.ts";
import type { AttemptSpan } from "../tracing/attempt-span.ts";
import type { StepProgress } from "../store/step-progress.ts";
import type { LogStream } from "../store/step-logs.ts";
import { TimerEntry } from "../clock/timer-queue.ts";
import type { ExecutionValues } from "./execution-values.ts";
import type { RunningAttempts } from "./running-attempts.ts";

export type OutputsByStep = Readonly<Record<string, Json>>;

/** The execution that attempts belong to, as far as attempts use it. */
export interface AttemptExecution {
  readonly id: ExecutionId;
  readonly state: State;
  /** The stored values that are in memory. */
  readonly values: ExecutionValues;
  /** Delivers a happening; resolves with the reply once its turn is durable. */
  post(happening: Happening): Promise<Reply>;
  /** The agents that were passed to `start` for this execution, in this process. */
  readonly agents: ReadonlyMap<string, Agent> | undefined;
  readonly attempts: RunningAttempts<StepAttempt>;
  enqueue(happening: Happening): void;
  /** A value of the execution is damaged. */
  onFault(error: unknown): void;
}

/** The attempt runtime, as attempts see it. */
export interface AttemptServices {
  readonly mask: Mask;
  marker(attempt: StepAttempt): string;
  openLog(attempt: StepAttempt): AttemptLog;
  newLogger(attempt: StepAttempt): StepLogger;
  onProgress(attempt: StepAttempt): void;
}

/** The dispatcher, as its attempts see it. */
export interface AttemptDispatcher {
  readonly services: AttemptServices;
  now(): EpochMs;
  recorder(attempt: StepAttempt): CallRecorder;
  onOverdue(attempt: StepAttempt): void;
  dropDeadline(attempt: StepAttempt): void;
  onEnded(attempt: StepAttempt, outcome: Outcome): void;
  onExited(attempt: StepAttempt): void;
}

/** The data of a function beside its input. */
export type AttemptData = Pick<HandlerData, "outputs" | "iteration">;

export const NO_DATA: AttemptData = Object.freeze({ outputs: Object.freeze({}), iteration: undefined });

const NO_ARTIFACTS: ReceivedArtifacts = Object.freeze({});

export const NO_SECRETS: Readonly<Record<string, string>> = Object.freeze(
  Object.create(null) as Record<string, string>,
);

/** It is a timer entry because the timer of its deadline needs one: `onDue` means that the deadline has passed. */
export class StepAttempt extends TimerEntry implements Attempt {
  readonly #liveExecution: AttemptExecution;
  readonly #effect: RunEffect;
  readonly #dispatcher: AttemptDispatcher;
  /** The event of its start. The time alone would be one more object for each attempt. */
  readonly #started: Event | undefined;
  readonly mainThreadAgent: Agent | undefined;
  #data: AttemptData = NO_DATA;
  secrets: Readonly<Record<string, string>> = NO_SECRETS;
  /** The copies of its dependencies' files, and the folder in which they are. */
  artifacts: ReceivedArtifacts = NO_ARTIFACTS;
  artifactFolder: string | undefined = undefined;
  /** Called when the attempt has exited; from then on the masker may forget its secrets. */
  releaseSecrets: (() => void) | undefined = undefined;
  /** The handle of the runner; undefined until the attempt was started. */
  handle: AttemptHandle | undefined = undefined;
  hasExited = false;
  /** Undefined if the process has no SDK for traces, and until the attempt was started. */
  span: AttemptSpan | undefined = undefined;
  /** The time of the last heartbeat. */
  lastHeartbeatAt: EpochMs | undefined = undefined;
  /** The latest progress. */
  progress: StepProgress | undefined = undefined;
  #log: AttemptLog | undefined = undefined;

  constructor(
    liveExecution: AttemptExecution,
    effect: RunEffect,
    dispatcher: AttemptDispatcher,
    mainThreadAgent: Agent | undefined,
  ) {
    super();
    this.#liveExecution = liveExecution;
    this.#effect = effect;
    this.#dispatcher = dispatcher;
    this.mainThreadAgent = mainThreadAgent;
    this.#started = liveExecution.state.phaseEvents[effect.step];
  }

  get liveExecution(): AttemptExecution {
    return this.#liveExecution;
  }

  get stepIndex(): StepIndex {
    return this.#effect.step;
  }

  get effect(): RunEffect {
    return this.#effect;
  }

  get action(): RunnableAction {
    return compiledStep(this.#liveExecution.state, this.#effect.step).definition.action as RunnableAction;
  }

  get agent(): string {
    return agentName(this.#liveExecution.state, this.#effect.step) ?? "";
  }

  get agentDefinition(): AgentDefinition | undefined {
    return agentDefinition(this.#liveExecution.state, this.#effect.step);
  }

  get execution(): ExecutionId {
    return this.#liveExecution.id;
  }

  get workflow(): string {
    return this.#liveExecution.state.program.definition.name;
  }

  executionInfo(): ExecutionInfo {
    const { id, state } = this.#liveExecution;
    const correlationId = state.created?.correlationId ?? id;
    return Object.freeze({ id, workflow: this.workflow, startedAt: state.startedAt ?? state.at, correlationId });
  }

  stepInfo(): StepInfo {
    const { state, values } = this.#liveExecution;
    return Object.freeze({ id: this.step, label: itemLabel(state, this.#effect.step, values) });
  }

  get resources(): Readonly<Record<string, number>> {
    const { state } = this.#liveExecution;
    const step = compiledStep(state, this.#effect.step).definition;
    const resources = claimedResources(step, enclosingMaps(state, this.#effect.step));
    return Object.freeze(Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount > 0)));
  }

  get step(): string {
    return stepName(this.#liveExecution.state, this.#effect.step);
  }

  get attempt(): number {
    return this.#effect.attempt;
  }

  get epoch(): number {
    return this.#effect.epoch;
  }

  get deadline(): EpochMs | undefined {
    return this.#effect.deadline;
  }

  /** The time of its start in the journal. */
  get startedAt(): EpochMs {
    return this.#started?.at ?? this.#liveExecution.state.at;
  }

  get retriedExitCodes(): readonly number[] {
    return compiledStep(this.#liveExecution.state, this.#effect.step).retry.exitCodes;
  }

  isCurrent(): boolean {
    return isRunning(this.#liveExecution.state, this.#effect.step, this.#effect.epoch);
  }

  input(): Json {
    return this.#inputIn(this.renderedAction());
  }

  /** The step's own input, or else the input of the enclosing workflow. */
  #inputIn(action: Json): Json {
    if (isJsonObject(action) && Object.hasOwn(action, "input")) return deepFreeze(action["input"]!);
    return readValue(this.#liveExecution, enclosingInput(this.#liveExecution.state, this.#effect.step));
  }

  renderedAction(): RenderedAction & JsonObject {
    const action = readValue(this.#liveExecution, this.#effect.call);
    if (!isJsonObject(action)) return NO_ACTION;
    const { secrets } = this.#effect;
    return (secrets.length === 0 ? action : injectSecrets(action, secrets, this.secrets)) as RenderedAction &
      JsonObject;
  }

  dependencyOutputs(): OutputsByStep {
    return this.#data.outputs;
  }

  iteration(): IterationData | undefined {
    return this.#data.iteration;
  }

  /** Secrets count by name, so the token does not change when a secret is rotated. */
  token(): string {
    const { execution, step, workflow } = this;
    const input = this.#inputIn(readValue(this.#liveExecution, this.#effect.call));
    return attemptToken({ executionId: execution, input, stepId: step, workflowId: workflow });
  }

  traceparent(): string {
    if (this.span !== undefined) return this.span.traceparent;
    const { execution, step, epoch } = this;
    const { created } = this.#liveExecution.state;
    const { seed = 0, traceparent: parent } = created ?? {};
    return attemptTraceparent({ executionId: execution, seed, stepId: step, epoch, parent });
  }

  marker(): string {
    return this.#dispatcher.services.marker(this);
  }

  logger(): StepLogger {
    return this.#dispatcher.services.newLogger(this);
  }

  newStreamMasker(): StreamMasker {
    return this.#dispatcher.services.mask.stream();
  }

  maskText(text: string): string {
    return this.#dispatcher.services.mask.text(text);
  }

  writeStream(stream: LogStream, chunk: Uint8Array): void {
    this.openLog().write(stream, chunk);
  }

  /** The log of the attempt. It is opened with the first output, because most attempts write nothing. */
  openLog(): AttemptLog {
    return (this.#log ??= this.#dispatcher.services.openLog(this));
  }

  closeLog(): void {
    this.#log?.close();
  }

  recorder(): CallRecorder {
    return this.#dispatcher.recorder(this);
  }

  recordHeartbeat(): void {
    this.lastHeartbeatAt = this.#dispatcher.now();
  }

  reportProgress({ message, ...numbers }: ProgressValue): void {
    if (!this.isCurrent()) return;
    const { step, attempt, epoch } = this;
    const text = message === undefined ? {} : { message: cutMessage(this.maskText(message)) };
    this.progress = Object.freeze({ step, attempt, epoch, at: this.#dispatcher.now(), ...numbers, ...text });
    this.#dispatcher.services.onProgress(this);
  }

  dropDeadline(): void {
    this.#dispatcher.dropDeadline(this);
  }

  /** The files of the dependencies are in the folder. */
  receive(folder: string, artifacts: ReceivedArtifacts): void {
    this.artifactFolder = folder;
    this.artifacts = artifacts;
  }

  /** Passes the attempt to its runner. Its inputs are loaded by now. */
  start(
    data: AttemptData,
    secrets: Readonly<Record<string, string>>,
    startOnRunner: (attempt: StepAttempt) => AttemptHandle,
  ): void {
    this.#data = data;
    this.secrets = secrets;
    this.handle = startOnRunner(this);
  }

  override onDue(): void {
    this.#dispatcher.onOverdue(this);
  }

  onEnded(outcome: Outcome): void {
    this.#dispatcher.onEnded(this, outcome);
  }

  onExited(): void {
    this.hasExited = true;
    this.#dispatcher.onExited(this);
  }
}

const MESSAGE_LENGTH_MAX = 200;

/** A cut may leave half of a character, which cannot be stored as text. */
function cutMessage(text: string): string {
  return text.slice(0, MESSAGE_LENGTH_MAX).toWellFormed();
}

const NO_ACTION: RenderedAction & JsonObject = Object.freeze({});

/** The agent's definition in the workflow of a step. */
export function agentDefinition(state: State, step: StepIndex): AgentDefinition | undefined {
  const { agents } = enclosingWorkflow(state, step);
  const agent = agentName(state, step);
  return agents === undefined || agent === undefined || !Object.hasOwn(agents, agent) ? undefined : agents[agent];
}

function readValue(execution: AttemptExecution, value: Value | undefined): Json {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? (execution.values.value(value.hash) ?? null) : null;
}
