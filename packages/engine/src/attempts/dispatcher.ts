// The dispatcher: what a turn asks of the outside, once it is durable. Attempts are started with what they need, and
// sub-workflows are looked up.
//
//   P1. An attempt is started once, and only while it is the current one of its step: one that was stopped while its values
//       were being loaded never begins (CANCEL-1).
//   P2. A store that cannot be read delays an attempt; it does not end it. So does what an attempt before left running.

import {
  agentName,
  dependencyOutputs,
  durationMs,
  enclosingInput,
  InvariantViolation,
  ownTimeout,
  type ContentHash,
  type DurationMs,
  type Effect,
  type EpochMs,
  type Failure,
  type Happening,
  type Json,
  type Outcome,
  type RunEffect,
  type StepIndex,
  type Value,
} from "@segno/kernel";
import { deepFreeze } from "@segno/contract";
import type { Environment } from "../clock/environment.ts";
import type { StepLogger } from "../events/logger.ts";
import type { AttemptLog } from "../logs/log-writer.ts";
import type { Registry } from "../registry/registry.ts";
import type { Agent } from "../agents/agent.ts";
import { outcomeOfError } from "../runners/function-outcome.ts";
import type { Attempt, RunningAttempt } from "../runners/runner.ts";
import type { AttemptRuntime } from "./attempt-runtime.ts";
import type { Mask } from "../secrets/masker.ts";
import type { Resolved } from "../secrets/secrets.ts";
import type { LogStream } from "../store/step-logs.ts";
import type { Backup } from "../store/backup.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import { hashOfText } from "../store/stored-values.ts";
import { EndedHappening } from "./attempt-happenings.ts";
import { findMissingRunner, isLastTry, missingCause, missingRunnerReason } from "./missing-runner.ts";
import { DrainingAttempts } from "./draining-attempts.ts";
import {
  agentDefinition,
  NO_OUTPUTS,
  NO_SECRETS,
  StepAttempt,
  type AttemptHost,
  type AttemptOwner,
  type Outputs,
} from "./step-attempt.ts";
import type { TimerQueue } from "../clock/timer-queue.ts";
import { laterTime } from "../clock/wake-time.ts";

/** Told how attempts end: what fails too often is left alone for a while, what was given up keeps what it holds. */
export interface AttemptAdmission {
  onEnded(attempt: StepAttempt, outcome: Outcome): void;
  onAbandoned(attempt: StepAttempt): void;
  onAgentAbandoned(attempt: StepAttempt): void;
  onExited(attempt: StepAttempt): void;
}

export interface DispatcherPorts {
  readonly store: Store & Partial<Backup>;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly attemptRuntime: AttemptRuntime;
  readonly timers: TimerQueue;
  /** Resolves later, or when everything is over. */
  sleep(ms: number): Promise<void>;
  readonly admission: AttemptAdmission;
}

/** How long to wait before values are asked for again. */
const AGAIN_MS = 200;

const NOTHING: readonly never[] = Object.freeze([]);

export class Dispatcher implements AttemptHost {
  readonly #ports: DispatcherPorts;
  readonly #start: (attempt: Attempt) => RunningAttempt;
  readonly #draining = new DrainingAttempts();

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    const { runner } = ports.attemptRuntime;
    this.#start = (attempt) => runner.start(attempt);
  }

  /** Whether there is something to run a step with (FAIL-9). Commands and requests need nothing but this process. */
  canRun(execution: AttemptOwner, step: StepIndex): boolean {
    const { state } = execution;
    const agent = agentName(state, step);
    if (agent === undefined) return true;
    if (execution.agents?.has(agent) === true || this.#ports.registry.agent(agent) !== undefined) return true;
    return agentDefinition(state, step)?.module !== undefined;
  }

  /** What the agent of a step says about how long an attempt may take. */
  attemptTimeout(execution: AttemptOwner, step: StepIndex): DurationMs | undefined {
    // The step's own timeout counts before any other.
    if (ownTimeout(execution.state, step) !== undefined) return undefined;
    return timeoutIn(this.#findAgent(execution, step), this.#ports.attemptRuntime.callbackTimeoutMs);
  }

  /** The function that the execution was started with here, what is registered under the name, or the workflow's module. */
  #findAgent(execution: AttemptOwner, step: StepIndex): Agent | undefined {
    const name = agentName(execution.state, step);
    if (name === undefined) return undefined;
    const known = execution.agents?.get(name) ?? this.#ports.registry.agent(name);
    return known ?? this.#ports.attemptRuntime.moduleAgent(agentDefinition(execution.state, step));
  }

  /** Whether somebody sees to this attempt. */
  isUnderWay(execution: AttemptOwner, step: number, epoch: number): boolean {
    return execution.attempts.get(step)?.epoch === epoch;
  }

  /** The attempt is overdue at a time of the monotonic clock. */
  run(execution: AttemptOwner, effect: RunEffect, overdueAt: number | undefined): void {
    const attempt = new StepAttempt(execution, effect, this, this.#findAgent(execution, effect.step));
    execution.attempts.set(effect.step, attempt);
    if (overdueAt !== undefined) this.#ports.timers.set(attempt, overdueAt);
    this.#begin(attempt);
  }

  /** FAIL-4: the deadline of an attempt came before its time. */
  postpone(execution: AttemptOwner, step: StepIndex, epoch: number, overdueAt: number): void {
    const attempt = execution.attempts.get(step);
    if (attempt?.epoch === epoch) this.#ports.timers.set(attempt, overdueAt);
  }

  /** Its time is over whatever the wall clock says: a clock that was set back does not make it longer. */
  overdue({ owner, stepIndex: step, epoch, deadline }: StepAttempt): void {
    const timer = { kind: "attempt-deadline", step, epoch } as const;
    owner.post({ kind: "due", at: laterTime(this.#ports.environment.now(), deadline), timer });
  }

  /** FAIL-4: the deadline is for the work. */
  cleaning(attempt: StepAttempt): void {
    this.#ports.timers.drop(attempt);
  }

  /** It is over, or given up. */
  #forget(attempt: StepAttempt): void {
    const { owner, stepIndex } = attempt;
    this.#ports.timers.drop(attempt);
    if (owner.attempts.get(stepIndex) === attempt) owner.attempts.delete(stepIndex);
  }

  #begin(attempt: StepAttempt): void {
    if (!this.#draining.isEmpty && this.#mustWaitForExit(attempt)) return;
    try {
      this.#beginWithInputs(attempt);
    } catch (error) {
      this.#failStart(attempt, error);
    }
  }

  /** What an agent says of itself may be a program, and throw: that is a failure of its attempt, and of nobody else. */
  #failStart(attempt: StepAttempt, error: unknown): void {
    const maskText = (text: string): string => attempt.maskText(text);
    attempt.onExited();
    attempt.end(outcomeOfError(error, { isAborted: false, classify: () => "permanent", maskText }));
  }

  #beginWithInputs(attempt: StepAttempt): void {
    const { owner, effect } = attempt;
    const { outputs, needs } = this.#outputsFor(attempt);
    const inputs = missingInputs(owner, effect);
    if (needs.length + inputs.length > 0) return void this.#beginWhenLoaded(attempt, [...needs, ...inputs]);
    const given = outputs === NO_OUTPUTS ? outputs : deepFreeze(outputs);
    const asking = this.#ports.attemptRuntime.secretsFor(attempt);
    if (asking === undefined) attempt.begin(given, NO_SECRETS, this.#start);
    else void this.#beginWithSecrets(attempt, given, asking);
  }

  async #beginWithSecrets(attempt: StepAttempt, outputs: Outputs, asking: Promise<Resolved>): Promise<void> {
    const resolved = await asking;
    if (attempt.owner.isGone) return;
    if (!attempt.isCurrent()) return this.#cancelledBeforeStart(attempt);
    if (resolved.kind === "failure") return this.#withoutSecrets(attempt, resolved.failure);
    try {
      attempt.begin(outputs, resolved.values, this.#start);
    } catch (error) {
      this.#failStart(attempt, error);
    }
  }

  /** A source that does not answer may answer another time; what it does not give at last, this process lacks. */
  #withoutSecrets(attempt: StepAttempt, failure: Failure): void {
    if (isLastTry(attempt, failure)) this.#lack(attempt, failure);
    else this.onEnded(attempt, { kind: "failed", failure });
  }

  /** FAIL-9: the execution is parked before the step is ready again, so that it is not granted once more. */
  #lack(attempt: StepAttempt, failure: Failure): void {
    const { owner, stepIndex: step, epoch } = attempt;
    const { message, ...rest } = failure;
    const maskText = { ...rest, message: attempt.maskText(message) };
    const at = this.#ports.environment.now();
    attempt.log?.close();
    this.#ports.admission.onAbandoned(attempt);
    this.#forget(attempt);
    const reason = missingRunnerReason(owner.state, step, maskText);
    owner.post({ kind: "park", at, step, cause: missingCause(failure), reason });
    owner.post({ kind: "lost", at, step, epoch, reason: maskText.message, graceful: true });
  }

  /** By itself, so that beginning an attempt makes nothing that only this needs. */
  #mustWaitForExit(attempt: StepAttempt): boolean {
    return this.#draining.waitFor(attempt, () => this.#beginIfWanted(attempt));
  }

  #beginIfWanted(attempt: StepAttempt): void {
    if (attempt.owner.isGone) return;
    if (attempt.isCurrent()) this.#begin(attempt);
    else this.#cancelledBeforeStart(attempt);
  }

  #cancelledBeforeStart(attempt: StepAttempt): void {
    const { owner, stepIndex, epoch } = attempt;
    // One that was ended by force holds nothing, and what its step holds by now belongs to a later attempt.
    if (this.isUnderWay(owner, stepIndex, epoch)) this.#ports.admission.onAbandoned(attempt);
    this.#forget(attempt);
    owner.post(this.toLostHappening(stepIndex, epoch, "it was stopped before it began"));
  }

  #outputsFor({ owner, stepIndex, localAgent }: StepAttempt): { outputs: Outputs; needs: readonly ContentHash[] } {
    if (localAgent?.needsOutputs === false) return { outputs: NO_OUTPUTS, needs: NOTHING };
    return dependencyOutputs(owner.state, stepIndex, owner.world);
  }

  marker(attempt: StepAttempt): string {
    return this.#ports.attemptRuntime.marker(attempt);
  }

  loggerFor(attempt: StepAttempt): StepLogger {
    const correlationId = attempt.owner.state.created?.correlationId;
    return this.#ports.attemptRuntime.loggerFor(attempt, correlationId, () => this.#openLog(attempt));
  }

  get mask(): Mask {
    return this.#ports.attemptRuntime.mask;
  }

  wrote(attempt: StepAttempt, stream: LogStream, chunk: Uint8Array): void {
    this.#openLog(attempt).wrote(stream, chunk);
  }

  #openLog(attempt: StepAttempt): AttemptLog {
    attempt.log ??= this.#ports.attemptRuntime.openLog(attempt);
    return attempt.log;
  }

  now(): EpochMs {
    return this.#ports.environment.now();
  }

  onEnded(attempt: StepAttempt, raw: Outcome): void {
    const lack = findMissingRunner(attempt, raw);
    if (lack !== undefined && attempt.isCurrent()) return this.#lack(attempt, lack);
    const outcome = this.#ports.attemptRuntime.finishOutcome(raw, attempt);
    this.#draining.add(attempt);
    if (outcome instanceof Promise) void outcome.then((late) => this.#onLateEnd(attempt, late));
    else this.#deliverOutcome(attempt, outcome);
  }

  /** While the user's rules took their time, the attempt was under way: it may have been given up meanwhile. */
  #onLateEnd(attempt: StepAttempt, outcome: Outcome): void {
    const { owner, stepIndex, epoch } = attempt;
    if (!owner.isGone && this.isUnderWay(owner, stepIndex, epoch)) this.#deliverOutcome(attempt, outcome);
  }

  #deliverOutcome(attempt: StepAttempt, outcome: Outcome): void {
    const { owner, stepIndex: step, epoch } = attempt;
    attempt.log?.close();
    this.#forget(attempt);
    this.#ports.admission.onEnded(attempt, outcome);
    owner.post(new EndedHappening(this.#ports.environment.now(), step, epoch, outcome));
  }

  onExited(attempt: StepAttempt): void {
    attempt.log?.close();
    this.#draining.onExited(attempt);
    this.#ports.admission.onExited(attempt);
  }

  abort(execution: AttemptOwner, { step, epoch, force, reason }: Effect & { kind: "abort" }): void {
    const attempt = execution.attempts.get(step);
    if (attempt?.epoch === epoch) this.#stop(attempt, force, reason);
  }

  /** Gives up everything that runs for an execution. */
  cancelAttempts(execution: AttemptOwner, reason: string): void {
    for (const attempt of execution.attempts.values()) {
      this.#ports.admission.onAgentAbandoned(attempt);
      this.#stop(attempt, true, reason);
      this.#forget(attempt);
    }
  }

  /** One that was not started yet is not started at all: whoever loads its values finds that it is not wanted any more. */
  #stop(attempt: StepAttempt, force: boolean, reason: string): void {
    if (force && attempt.running !== undefined) this.#draining.add(attempt);
    attempt.running?.abort(force, reason);
    if (force) this.#forget(attempt);
  }

  resolve(execution: AttemptOwner, { step, workflow }: Effect & { kind: "resolve" }): void {
    const definition = this.#calledDefinition(execution, workflow);
    const at = this.#ports.environment.now();
    if (definition !== undefined) return execution.post({ kind: "resolved", at, step, definition });
    const failure = {
      class: "permanent",
      code: "WORKFLOW_UNKNOWN",
      message: `no workflow \`${workflow}\` is registered`,
    } as const;
    execution.post({ kind: "unresolved", at, step, failure });
  }

  /** The one that was meant at the start; what nobody knew then, or a step made at run time names, is looked up now. */
  #calledDefinition({ state }: AttemptOwner, workflow: string): ContentHash | undefined {
    const { registry } = this.#ports;
    const called = state.created?.workflows?.find((each) => each.workflow === workflow)?.definition;
    return called !== undefined && registry.program(called) !== undefined ? called : registry.workflow(workflow)?.hash;
  }

  toLostHappening(step: number, epoch: number, reason: string): Happening {
    return { kind: "lost", at: this.#ports.environment.now(), step: step as StepIndex, epoch, reason };
  }

  /** A value that is not what its hash says is read once more, from the file itself, before it counts as damaged (J1). */
  async fetchValues(execution: AttemptOwner, hashes: readonly ContentHash[]): Promise<void> {
    if ((await this.#fetchOnce(execution, hashes)) === undefined) return;
    await this.#ports.store.reopen?.();
    const damage = await this.#fetchOnce(execution, hashes);
    if (damage !== undefined) throw new InvariantViolation("JOURNAL-4", damage);
  }

  /** Gives back what is wrong with one of them, if anything is. */
  async #fetchOnce(execution: AttemptOwner, hashes: readonly ContentHash[]): Promise<string | undefined> {
    const contents = await this.#ports.store.contents({ kind: "values", execution: execution.id, hashes });
    for (const hash of hashes) {
      const body = contents.get(hash);
      if (body === undefined) return `the value ${hash} is not in the store`;
      if (hashOfText(body) !== hash) return `the value ${hash} is not what was written`;
      execution.values.set(hash, deepFreeze(JSON.parse(body) as Json));
    }
    return undefined;
  }

  async #beginWhenLoaded(attempt: StepAttempt, needs: readonly ContentHash[]): Promise<void> {
    const { owner } = attempt;
    try {
      await this.#fetchWithRetry(owner, needs);
    } catch (error) {
      this.#forget(attempt);
      return owner.onFault(error);
    }
    this.#beginIfWanted(attempt);
  }

  async #fetchWithRetry(execution: AttemptOwner, needs: readonly ContentHash[]): Promise<void> {
    while (!execution.isGone) {
      try {
        return await this.fetchValues(execution, needs);
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
        await this.#ports.sleep(AGAIN_MS);
      }
    }
  }
}

/** It comes from a program: it may throw, and a deadline that is no whole number would make the journal unreadable. */
function timeoutIn(agent: Agent | undefined, callbackTimeoutMs: number): DurationMs | undefined {
  try {
    const timeoutMs = agent?.timeoutMs ?? (agent?.isCallback === true ? callbackTimeoutMs : undefined);
    return Number.isFinite(timeoutMs) ? durationMs(Math.ceil(timeoutMs!)) : undefined;
  } catch {
    return undefined;
  }
}

/** Inputs that are stored beside the journal and not at hand. */
function missingInputs(execution: AttemptOwner, effect: RunEffect): readonly ContentHash[] {
  const around = enclosingInput(execution.state, effect.step);
  const call = missing(execution, effect.call);
  const input = missing(execution, around);
  return call === undefined && input === undefined ? NOTHING : [call, input].filter((hash) => hash !== undefined);
}

function missing(execution: AttemptOwner, value: Value | undefined): ContentHash | undefined {
  return value?.kind === "stored" && !execution.values.has(value.hash) ? value.hash : undefined;
}
