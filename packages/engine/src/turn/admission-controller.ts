// Admits the steps of executions to slots and resources. The scheduler knows scheduler records and claims; this
// controller finds them for executions and their steps.
//
// A lingering attempt still runs although its step was released. The capacities that the step declares stay in use until
// the attempt exits (CANCEL-2).

import {
  attemptCount,
  dependantCount,
  localIndex,
  enclosingMaps,
  enclosingProgram,
  stepName,
  enclosingWorkflow,
  type Definition,
  type EpochMs,
  type Failure,
  type Outcome,
  type Program,
  type State,
  type StepDefinition,
  type StepIndex,
} from "@segno/kernel";
import type { Breaker } from "../scheduler/resources/breaker.ts";
import { ClaimMaker, type ClaimOptions, type ResourceUsage } from "../scheduler/resources/claim-maker.ts";
import type { Claim } from "../scheduler/resources/claim.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import type { SchedulerClock } from "../scheduler/scheduler-time.ts";
import type { Timers } from "../clock/timers.ts";
import type { Strategy } from "../scheduler/strategy.ts";
import type { ExecutionStep, WaitReason } from "../scheduler/wait-reason.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { StepAttempt } from "../attempts/step-attempt.ts";

/** Options of an engine that decide which step starts next. */
export interface AdmissionOptions extends Omit<ClaimOptions, "perAgent"> {
  /** The order of the steps of one execution; `priority` by default (SCHED-5). */
  readonly strategy?: Strategy;
}

export interface AdmissionPorts {
  readonly limits: SchedulerLimits;
  readonly options: AdmissionOptions;
  readonly clock: SchedulerClock;
  readonly timers: Pick<Timers, "reschedulable">;
  readonly report: (error: unknown, execution: undefined) => void;
  /** Called when an attempt that was stopped by force still runs and holds a resource. */
  readonly onHeldByLingering: (attempt: StepAttempt, resource: string) => void;
}

/** The turn loop, as far as admission calls it. */
export interface GrantListener {
  onGranted(execution: LiveExecution, step: StepIndex): void;
}

const NO_LISTENER: GrantListener = { onGranted: () => undefined };

export class AdmissionController {
  readonly #scheduler: Scheduler<LiveExecution>;
  readonly #claims: ClaimMaker;
  /** The claims made so far, by program and step index. */
  readonly #claimsByProgram = new WeakMap<Program, (Claim | undefined)[]>();
  #lastProgram: Program | undefined;
  #lastClaims: (Claim | undefined)[] = [];

  readonly #clock: SchedulerClock;
  readonly #onHeldByLingering: AdmissionPorts["onHeldByLingering"];
  #listener: GrantListener = NO_LISTENER;

  constructor({ limits, options, clock, timers, report, onHeldByLingering }: AdmissionPorts) {
    this.#clock = clock;
    this.#onHeldByLingering = onHeldByLingering;
    this.#claims = new ClaimMaker({ ...options, perAgent: limits.perAgent });
    this.#scheduler = new Scheduler<LiveExecution>(
      limits,
      {
        grant: (execution, step) => this.#listener.onGranted(execution, step as StepIndex),
        clock,
        requestWake: timers.reschedulable(() => this.wake()),
        report: (error) => report(error, undefined),
        dependantCount: ({ state }, step) => dependantCount(state, step),
        stepName: ({ id, state }, step) => ({
          execution: id,
          workflow: state.program.definition.name,
          step: stepName(state, step),
        }),
        executionId: ({ id }) => id,
      },
      options.strategy,
    );
  }

  /** Grants go to this listener. Until then nothing is requested, so nothing is granted. */
  connect(listener: GrantListener): void {
    this.#listener = listener;
  }

  get usedSlots(): number {
    return this.#scheduler.usedSlots;
  }

  /** The number of steps that are ready and wait for a slot or a resource. */
  get waitingCount(): number {
    return this.#scheduler.waitingCount;
  }

  /** The usage of capacities and quotas now. */
  resourceUsage(): readonly ResourceUsage[] {
    return this.#claims.usage(this.#clock.monotonic());
  }

  /** The total of all capacities in use, without what lingering attempts hold. Checks that nothing is left over read it. */
  get capacityInUse(): number {
    return this.#claims.capacityInUse;
  }

  /** Why a definition can never run on this engine. */
  findProblem(definition: Definition): string | undefined {
    return this.#claims.findProblem(definition);
  }

  close(): void {
    this.#scheduler.close();
  }

  wake(): void {
    this.#scheduler.wake();
  }

  /** Evaluates the requests and releases of `work` together, at its end or when it calls `flush`. */
  cork(work: () => void): void {
    this.#scheduler.cork(work);
  }

  flush(): void {
    this.#scheduler.flush();
  }

  request({ schedulerRecord, state }: LiveExecution, step: StepIndex): void {
    const claim = this.#claim(state, step);
    this.#scheduler.request(schedulerRecord, step, attemptCount(state, step) === 0 ? claim : claim.retryClaim);
  }

  /** The execution was reloaded; the steps in `running` keep what they hold. */
  restore({ schedulerRecord, state }: LiveExecution, running: readonly StepIndex[]): void {
    this.#scheduler.restore(
      schedulerRecord,
      running.map((step) => ({ step, claim: this.#claim(state, step), startedAtMs: state.phaseEvents[step]?.at })),
    );
  }

  /**
   * Releases a step. An attempt that ends by itself is removed from `attempts` before its step is released. So an
   * attempt that is still there is being force-stopped. It lingers: its slot and the limits of its agent and step are
   * freed now, the capacities that the step declares when it exits (CANCEL-2).
   */
  release({ schedulerRecord, attempts, state }: LiveExecution, step: StepIndex): void {
    const attempt = attempts.get(step);
    // An attempt that is still being prepared has not started, so it ends at once.
    if (attempt?.handle === undefined) return void this.#scheduler.release(schedulerRecord, step);
    this.#scheduler.reportToBreaker(schedulerRecord, step, hasPassedDeadline(attempt, state.at) ? "failing" : "other");
    this.releaseForceStopped(attempt);
  }

  withdraw({ schedulerRecord }: LiveExecution, step: StepIndex): void {
    this.#scheduler.withdraw(schedulerRecord, step);
  }

  withdrawAll({ schedulerRecord }: LiveExecution): void {
    this.#scheduler.withdrawAll(schedulerRecord);
  }

  forget({ schedulerRecord }: LiveExecution): void {
    this.#scheduler.forget(schedulerRecord);
  }

  /** If parts of the attempt still run, the attempt lingers until they exit. */
  onEnded(attempt: StepAttempt, outcome: Outcome): void {
    const { liveExecution, stepIndex } = attempt;
    if (this.#claims.hasBreakers) {
      // An attempt that exceeded its deadline counts as a timeout, whatever its outcome (FAIL-4).
      const result = liveExecution.state.overdue.has(stepIndex) ? "failing" : attemptResult(outcome);
      this.#scheduler.reportToBreaker(liveExecution.attempts.schedulerRecord, stepIndex, result);
    }
    if (!attempt.hasExited) this.releaseAttempt(attempt);
  }

  /** Releases the step of an attempt that has not exited. An attempt that was handed to a runner lingers. */
  releaseAttempt(attempt: StepAttempt): void {
    this.#scheduler.release(
      attempt.liveExecution.attempts.schedulerRecord,
      attempt.stepIndex,
      attempt.handle === undefined ? undefined : attempt,
    );
  }

  /**
   * Releases the step of an attempt that is force-stopped when the turn is durable. Force-stopping ends a process,
   * thread or request, so the declared capacities stay in use until it exits. A main-thread agent cannot be ended, so the
   * declared capacities with `onAbandon: release` are freed now.
   */
  releaseForceStopped(attempt: StepAttempt): void {
    if (attempt.mainThreadAgent === undefined || attempt.handle === undefined) return this.releaseAttempt(attempt);
    const { schedulerRecord } = attempt.liveExecution.attempts;
    const kept = this.#scheduler.release(schedulerRecord, attempt.stepIndex, attempt, true);
    for (const { resource } of kept) this.#onHeldByLingering(attempt, resource.name);
  }

  onExited(attempt: StepAttempt): void {
    this.#scheduler.onExited(attempt);
  }

  /** The breaker of the agent that runs a step. */
  breaker({ state }: LiveExecution, step: StepIndex): Breaker | undefined {
    return this.#claim(state, step).requirement.breaker;
  }

  why({ schedulerRecord }: LiveExecution, step: number): readonly WaitReason<ExecutionStep<LiveExecution>>[] {
    return this.#scheduler.why(schedulerRecord, step);
  }

  #claim(state: State, step: StepIndex): Claim {
    const program = enclosingProgram(state, step);
    const local = localIndex(state, step);
    const claims = this.#programClaims(program);
    return (claims[local] ??= this.#makeClaim(state, step, program.steps[local]!.definition));
  }

  /** The program of a map's items belongs to one map only, so the claims can be cached by program. */
  #makeClaim(state: State, step: StepIndex, definition: StepDefinition): Claim {
    return this.#claims.makeClaim(enclosingWorkflow(state, step), definition, enclosingMaps(state, step));
  }

  /** Consecutive requests are mostly for one program, so the array of the last program is cached. */
  #programClaims(program: Program): (Claim | undefined)[] {
    if (program === this.#lastProgram) return this.#lastClaims;
    let claims = this.#claimsByProgram.get(program);
    if (claims === undefined) this.#claimsByProgram.set(program, (claims = program.steps.map(() => undefined)));
    this.#lastProgram = program;
    this.#lastClaims = claims;
    return claims;
  }
}

/**
 * A timeout counts as a failure (FAIL-6). While the timer of the deadline is armed, only the wall clock has passed the
 * deadline; the time that the attempt was given is not over.
 */
function hasPassedDeadline({ deadline, isArmed }: StepAttempt, at: EpochMs): boolean {
  return deadline !== undefined && deadline <= at && !isArmed;
}

function attemptResult(outcome: Outcome): "succeeded" | "failing" | "other" {
  if (outcome.kind !== "failed") return "succeeded";
  return resultOfFailure(outcome.failure);
}

/**
 * A failure with a retry time is not counted, whatever its class: an agent that says when to call again is working
 * (FAIL-6).
 */
export function resultOfFailure({ class: kind, retryAfter }: Failure): "failing" | "other" {
  if (retryAfter !== undefined) return "other";
  return kind === "transient" || kind === "timeout" ? "failing" : "other";
}
