// The dispatcher performs external effects of a durable turn: it starts attempts with their inputs, and resolves
// sub-workflows.
//
//   P1. An attempt is started once, and only while it is the current attempt of its step: an attempt that was stopped
//       while its values were loading never starts (CANCEL-1).
//   P2. A store that cannot be read delays an attempt and does not end it. So does an attempt that has
//       not exited, of the same step, or with processes that are killed in the same execution (`exiting-attempts.ts`).

import {
  agentName,
  handlerData,
  durationMs,
  ownTimeout,
  type ContentHash,
  type DurationMs,
  type Effect,
  type EpochMs,
  type Failure,
  type Outcome,
  type RunEffect,
  type StepIndex,
  type HandlerData,
} from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Registry } from "../registry/registry.ts";
import type { Agent } from "../agents/agent.ts";
import { outcomeOfError } from "../runners/attempt-outcome.ts";
import type { AttemptHandle } from "../runners/runner.ts";
import type { AttemptRuntime } from "./attempt-runtime.ts";
import type { Resolved } from "../secrets/secrets.ts";
import type { Backup } from "../store/backup.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { EndedHappening, lostHappening } from "./attempt-happenings.ts";
import {
  missingPrerequisiteFailure,
  isLastAttempt,
  isOfProcess,
  parkCauseOf,
  missingPrerequisiteReason,
} from "./missing-prerequisite.ts";
import { AttemptRecorder, type RecorderPorts } from "./attempt-recorder.ts";
import type { CallRecorder } from "../runners/recorded-calls.ts";
import { ExitingAttempts } from "./exiting-attempts.ts";
import type { AttemptTelemetry } from "./attempt-telemetry.ts";
import { fetchValues, missingInputs } from "./fetch-values.ts";
import {
  agentDefinition,
  NO_DATA,
  NO_SECRETS,
  StepAttempt,
  type AttemptDispatcher,
  type AttemptExecution,
  type AttemptServices,
  type AttemptData,
} from "./step-attempt.ts";
import type { TimerQueue } from "../clock/timer-queue.ts";
import type { Timers } from "../clock/timers.ts";
import { laterTime } from "../clock/wake-time.ts";

/** Admission, as far as attempts report to it: it feeds breakers and counts what lingering attempts hold. */
export interface AttemptAdmission {
  onEnded(attempt: StepAttempt, outcome: Outcome): void;
  releaseAttempt(attempt: StepAttempt): void;
  releaseForceStopped(attempt: StepAttempt): void;
  onExited(attempt: StepAttempt): void;
}

export interface DispatcherPorts {
  readonly store: Store & Partial<Backup>;
  readonly clock: Pick<SystemPorts, "now">;
  readonly registry: Registry;
  readonly runtime: AttemptRuntime;
  readonly limits: DispatchLimits;
  readonly timers: Timers;
  readonly admission: AttemptAdmission;
}

export interface DispatchLimits {
  /** The timeout of agents that are callbacks. */
  readonly callbackMs: number;
  /** The maximum number of recorded calls of one attempt. */
  readonly recordedCalls: number;
}

/** How long to wait before values are loaded again. */
const RETRY_MS = 200;

const NOTHING: readonly never[] = Object.freeze([]);

export class Dispatcher implements AttemptDispatcher {
  readonly #ports: DispatcherPorts;
  readonly #telemetry: AttemptTelemetry;
  readonly #startOnRunner: (attempt: StepAttempt) => AttemptHandle;
  readonly #exiting = new ExitingAttempts();
  readonly #deadlines: TimerQueue;
  readonly #recorderPorts: RecorderPorts;

  constructor(ports: DispatcherPorts, telemetry: AttemptTelemetry) {
    this.#ports = ports;
    this.#telemetry = telemetry;
    this.#deadlines = ports.timers.monotonicTimers;
    this.#recorderPorts = {
      callsMax: ports.limits.recordedCalls,
      now: () => ports.clock.now(),
      after: (ms, call) => ports.timers.after(ms, call),
      maskJson: (json) => ports.runtime.maskJson(json),
      load: ({ liveExecution }, hash) => this.#fetchWithRetry(liveExecution, [hash]),
    };
    const { runners } = ports.runtime;
    this.#startOnRunner = (attempt) => {
      telemetry.onStarted(attempt);
      return runners.start(attempt);
    };
  }

  /** Whether this process has the agent of the step (FAIL-9). Commands and requests have no agent and can always run. */
  canRun(execution: AttemptExecution, step: StepIndex): boolean {
    const { state } = execution;
    const agent = agentName(state, step);
    if (agent === undefined) return true;
    if (this.#ports.registry.agent(agent, execution.agents) !== undefined) return true;
    return agentDefinition(state, step)?.module !== undefined;
  }

  /** The timeout that the agent of a step defines. */
  attemptTimeout(execution: AttemptExecution, step: StepIndex): DurationMs | undefined {
    // The step's own timeout wins.
    if (ownTimeout(execution.state, step) !== undefined) return undefined;
    return agentTimeout(this.#findAgent(execution, step), this.#ports.limits.callbackMs);
  }

  /** The agent of the engine, or of the workflow, or the workflow's module agent. */
  #findAgent(execution: AttemptExecution, step: StepIndex): Agent | undefined {
    const name = agentName(execution.state, step);
    if (name === undefined) return undefined;
    const known = this.#ports.registry.agent(name, execution.agents);
    return known ?? this.#ports.runtime.moduleAgent(name, agentDefinition(execution.state, step));
  }

  /** Whether the attempt has neither ended nor been force-stopped. */
  #isTracked({ liveExecution, stepIndex, epoch }: StepAttempt): boolean {
    return liveExecution.attempts.get(stepIndex)?.epoch === epoch;
  }

  /** `monotonicDeadline` is the deadline on the monotonic clock. */
  run(execution: AttemptExecution, effect: RunEffect, monotonicDeadline: number | undefined): void {
    const attempt = new StepAttempt(execution, effect, this, this.#findAgent(execution, effect.step));
    execution.attempts.set(effect.step, attempt);
    if (monotonicDeadline !== undefined) this.#deadlines.set(attempt, monotonicDeadline);
    this.#startWhenOthersExited(attempt);
  }

  /** Sets a deadline again that fired too early (FAIL-4). */
  rearmDeadline(execution: AttemptExecution, step: StepIndex, epoch: number, monotonicDeadline: number): void {
    const attempt = execution.attempts.get(step);
    if (attempt?.epoch === epoch) this.#deadlines.set(attempt, monotonicDeadline);
  }

  /** A deadline has passed whatever the wall clock says: a clock that was set back does not extend it. */
  onOverdue({ liveExecution, stepIndex: step, epoch, deadline }: StepAttempt): void {
    const timer = { kind: "attempt-deadline", step, epoch } as const;
    liveExecution.enqueue({ kind: "due", at: laterTime(this.#ports.clock.now(), deadline), timer });
  }

  /** The deadline covers the work, not the cleanup (FAIL-4). */
  dropDeadline(attempt: StepAttempt): void {
    this.#deadlines.drop(attempt);
  }

  /** The attempt has ended, or, without `ended`, was force-stopped, was given up or will not start. */
  #untrack(attempt: StepAttempt, ended?: EndedHappening): void {
    const { attempts } = attempt.liveExecution;
    this.#deadlines.drop(attempt);
    if (attempts.get(attempt.stepIndex) !== attempt) return;
    attempts.delete(attempt.stepIndex);
    this.#telemetry.onEnded(attempt, ended);
  }

  /** Starts the attempt, now or when the attempts that it waits for have exited (`exiting-attempts.ts`). */
  #startWhenOthersExited(attempt: StepAttempt): void {
    if (!this.#exiting.isEmpty && this.#mustWaitForExit(attempt)) return;
    try {
      this.#startWithInputs(attempt);
    } catch (error) {
      this.#failStart(attempt, error);
    }
  }

  /** Properties of an agent may be getters that throw; that fails the attempt and nothing else. */
  #failStart(attempt: StepAttempt, error: unknown): void {
    const maskText = (text: string): string => attempt.maskText(text);
    attempt.onExited();
    attempt.onEnded(outcomeOfError(error, { isAborted: false, classify: () => "permanent", maskText }));
  }

  #startWithInputs(attempt: StepAttempt): void {
    const { liveExecution, effect } = attempt;
    const { needs: missingOutputs, ...data } = this.#dataFor(attempt);
    const missingCallInputs = missingInputs(liveExecution, effect);
    if (missingOutputs.length + missingCallInputs.length > 0)
      return void this.#startWhenLoaded(attempt, [...missingOutputs, ...missingCallInputs]);
    const frozenData = data.outputs === NO_DATA.outputs ? data : deepFreeze(data);
    const resolving = this.#ports.runtime.prepare(attempt);
    if (resolving === undefined) attempt.start(frozenData, NO_SECRETS, this.#startOnRunner);
    else void this.#startWithSecrets(attempt, frozenData, resolving);
  }

  async #startWithSecrets(attempt: StepAttempt, data: AttemptData, resolving: Promise<Resolved>): Promise<void> {
    const resolved = await resolving;
    if (attempt.liveExecution.attempts.isClosed) return;
    if (!attempt.isCurrent()) return this.#onStoppedBeforeStart(attempt);
    if (resolved.kind === "failure") return this.#onSecretsFailed(attempt, resolved.failure);
    attempt.releaseSecrets = this.#ports.runtime.hold(attempt, resolved.values);
    try {
      attempt.start(data, resolved.values, this.#startOnRunner);
    } catch (error) {
      this.#failStart(attempt, error);
    }
  }

  /** A secret source that does not answer is retried; after the last attempt, the process lacks the secret. */
  #onSecretsFailed(attempt: StepAttempt, failure: Failure): void {
    if (isOfProcess(failure) && isLastAttempt(attempt, failure)) this.#park(attempt, failure);
    else this.onEnded(attempt, { kind: "failed", failure });
  }

  /**
   * Parks the execution because the process lacks a prerequisite of the step. The happening `park` comes before `lost`:
   * the execution is parked before the step becomes ready again, so the step is not granted once more (FAIL-9).
   */
  #park(attempt: StepAttempt, failure: Failure): void {
    const { liveExecution, stepIndex: step, epoch } = attempt;
    const { message, ...rest } = failure;
    const masked = { ...rest, message: attempt.maskText(message) };
    const at = this.#ports.clock.now();
    attempt.closeLog();
    this.#ports.admission.releaseAttempt(attempt);
    this.#untrack(attempt);
    const reason = missingPrerequisiteReason(liveExecution.state, step, masked);
    liveExecution.enqueue({ kind: "park", at, step, cause: parkCauseOf(failure), reason });
    liveExecution.enqueue({ kind: "lost", at, step, epoch, reason: masked.message, graceful: true });
  }

  /** A method of its own, so that the usual path creates no closure. */
  #mustWaitForExit(attempt: StepAttempt): boolean {
    return this.#exiting.waitFor(attempt, () => this.#startIfCurrent(attempt));
  }

  #startIfCurrent(attempt: StepAttempt): void {
    if (attempt.liveExecution.attempts.isClosed) return;
    if (attempt.isCurrent()) this.#startWhenOthersExited(attempt);
    else this.#onStoppedBeforeStart(attempt);
  }

  #onStoppedBeforeStart(attempt: StepAttempt): void {
    const { liveExecution, stepIndex, epoch } = attempt;
    // A force-stopped attempt holds nothing; what the step holds now belongs to a later attempt.
    if (this.#isTracked(attempt)) this.#ports.admission.releaseAttempt(attempt);
    this.#untrack(attempt);
    liveExecution.enqueue(
      lostHappening(this.#ports.clock.now(), stepIndex, epoch, "the attempt was aborted before it began"),
    );
  }

  /** The data of a step's function; `needs` are the hashes of values that are not loaded. */
  #dataFor({ liveExecution, stepIndex, mainThreadAgent }: StepAttempt): HandlerData {
    if (mainThreadAgent?.needsDependencyOutputs === false) return { ...NO_DATA, needs: NOTHING };
    return handlerData(liveExecution.state, stepIndex, liveExecution.values);
  }

  get services(): AttemptServices {
    return this.#ports.runtime;
  }

  now(): EpochMs {
    return this.#ports.clock.now();
  }

  recorder(attempt: StepAttempt): CallRecorder {
    return new AttemptRecorder(attempt, this.#recorderPorts);
  }

  onEnded(attempt: StepAttempt, unmasked: Outcome): void {
    const missingFailure = missingPrerequisiteFailure(attempt, unmasked);
    if (missingFailure !== undefined && attempt.isCurrent()) return this.#park(attempt, missingFailure);
    const outcome = this.#ports.runtime.recordableOutcome(unmasked, attempt);
    this.#exiting.add(attempt);
    if (outcome instanceof Promise) void outcome.then((late) => this.#onOutcomeResolved(attempt, late));
    else this.#deliverOutcome(attempt, outcome);
  }

  /** The attempt may have been force-stopped while the user's failure callbacks were running. */
  #onOutcomeResolved(attempt: StepAttempt, outcome: Outcome): void {
    const { isClosed } = attempt.liveExecution.attempts;
    if (!isClosed && this.#isTracked(attempt)) this.#deliverOutcome(attempt, outcome);
  }

  #deliverOutcome(attempt: StepAttempt, outcome: Outcome): void {
    const { liveExecution, stepIndex: step, epoch } = attempt;
    const ended = new EndedHappening(this.#ports.clock.now(), step, epoch, outcome);
    attempt.closeLog();
    this.#untrack(attempt, ended);
    this.#ports.admission.onEnded(attempt, outcome);
    liveExecution.enqueue(ended);
  }

  onExited(attempt: StepAttempt): void {
    attempt.closeLog();
    attempt.releaseSecrets?.();
    this.#exiting.onExited(attempt);
    this.#ports.admission.onExited(attempt);
  }

  abort(execution: AttemptExecution, { step, epoch, force, reason }: Effect & { kind: "abort" }): void {
    const attempt = execution.attempts.get(step);
    if (attempt?.epoch === epoch) this.#stop(attempt, force, reason);
  }

  /** Stops all attempts of an execution by force. */
  forceStopAttempts(execution: AttemptExecution, reason: string): void {
    for (const attempt of execution.attempts.values()) {
      this.#ports.admission.releaseForceStopped(attempt);
      this.#stop(attempt, true, reason);
      this.#untrack(attempt);
    }
  }

  /** An attempt that is still loading its values is not started: the loader checks whether it is still current. */
  #stop(attempt: StepAttempt, force: boolean, reason: string): void {
    if (force) this.#exiting.addForceStopped(attempt);
    attempt.handle?.abort(force, reason);
    if (force) this.#untrack(attempt);
  }

  resolveDefinition(execution: AttemptExecution, { step, workflow }: Effect & { kind: "resolve-definition" }): void {
    const definition = this.#calledDefinition(execution, workflow);
    const at = this.#ports.clock.now();
    if (definition !== undefined) return execution.enqueue({ kind: "resolved", at, step, definition });
    const failure = {
      class: "permanent",
      code: "WORKFLOW_UNKNOWN",
      message: `no workflow \`${workflow}\` is registered`,
    } as const;
    execution.enqueue({ kind: "unresolved", at, step, failure });
  }

  /**
   * The definition recorded at the start. A workflow that was unknown then, or that a dynamic step names, is looked up
   * now.
   */
  #calledDefinition({ state }: AttemptExecution, workflow: string): ContentHash | undefined {
    const { registry } = this.#ports;
    const called = state.created?.workflows?.find((each) => each.workflow === workflow)?.definition;
    return called !== undefined && registry.program(called) !== undefined ? called : registry.workflow(workflow)?.hash;
  }

  async #startWhenLoaded(attempt: StepAttempt, missingHashes: readonly ContentHash[]): Promise<void> {
    const { liveExecution } = attempt;
    try {
      await this.#fetchWithRetry(liveExecution, missingHashes);
    } catch (error) {
      this.#untrack(attempt);
      return liveExecution.onFault(error);
    }
    this.#startIfCurrent(attempt);
  }

  async #fetchWithRetry(execution: AttemptExecution, missingHashes: readonly ContentHash[]): Promise<void> {
    while (!execution.attempts.isClosed) {
      try {
        return await fetchValues(execution, missingHashes, this.#ports.store);
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
        await this.#ports.timers.sleep(RETRY_MS);
      }
    }
  }
}

/**
 * The timeout comes from user code: it may throw, and a deadline that is not a whole number would make the journal
 * unreadable.
 */
function agentTimeout(agent: Agent | undefined, callbackTimeoutMs: number): DurationMs | undefined {
  try {
    const timeoutMs = agent?.timeoutMs ?? (agent?.isCallback === true ? callbackTimeoutMs : undefined);
    return Number.isFinite(timeoutMs) ? durationMs(Math.ceil(timeoutMs!)) : undefined;
  } catch {
    return undefined;
  }
}
