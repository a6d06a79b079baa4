// Admission: slots and resources for the steps of executions. The scheduler knows accounts and claims; here they are found
// for executions and their steps, and attempts that were given up keep what they hold until they are over (CANCEL-2).

import {
  attemptCount,
  dependantCount,
  localIndex,
  mapsAround,
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
import { ClaimMaker, type ClaimOptions } from "../scheduler/resources/claim-maker.ts";
import type { Claim } from "../scheduler/resources/claim.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import type { SchedulerClock } from "../scheduler/scheduler-time.ts";
import type { Strategy } from "../scheduler/strategy.ts";
import type { WaitReason } from "../scheduler/wait-reason.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { StepAttempt } from "../attempts/step-attempt.ts";

export interface AdmissionOptions extends Omit<ClaimOptions, "perAgent"> {
  /** In which order the steps of one execution run; `priority` when it is absent (SCHED-5). */
  readonly strategy?: Strategy;
}

export interface AdmissionPorts {
  readonly limits: SchedulerLimits;
  readonly options: AdmissionOptions;
  readonly onGranted: (execution: LiveExecution, step: StepIndex) => void;
  readonly clock: SchedulerClock;
  /** When `wake` is to be called, on the monotonic clock. */
  readonly wakeAt: (at: number | undefined) => void;
  readonly report: (error: unknown) => void;
  /** An attempt was abandoned, still runs, and holds a resource. */
  readonly holdsOn: (attempt: StepAttempt, resource: string) => void;
}

export class AdmissionController {
  readonly #scheduler: Scheduler<LiveExecution>;
  readonly #claims: ClaimMaker;
  /** Claims that were made, by the indexes of their steps. */
  readonly #known = new WeakMap<Program, (Claim | undefined)[]>();
  #recent: Program | undefined;
  #recentClaims: (Claim | undefined)[] = [];

  readonly #holdsOn: AdmissionPorts["holdsOn"];

  constructor({ limits, options, onGranted, clock, wakeAt, report, holdsOn }: AdmissionPorts) {
    this.#holdsOn = holdsOn;
    this.#claims = new ClaimMaker({ ...options, perAgent: limits.perAgent });
    this.#scheduler = new Scheduler<LiveExecution>(
      limits,
      {
        grant: (execution, step) => onGranted(execution, step as StepIndex),
        clock,
        wakeAt,
        report,
        weight: ({ state }, step) => dependantCount(state, step),
        stepName: ({ id, state }, step) => ({
          execution: id,
          workflow: state.program.definition.name,
          step: stepName(state, step),
        }),
      },
      options.strategy,
    );
  }

  get used(): number {
    return this.#scheduler.used;
  }

  /** Of capacities, for those who check that nothing is left over. */
  get held(): number {
    return this.#claims.held;
  }

  /** What makes a definition impossible to run here. */
  findProblem(definition: Definition): string | undefined {
    return this.#claims.findProblem(definition);
  }

  close(): void {
    this.#scheduler.close();
  }

  wake(): void {
    this.#scheduler.wake();
  }

  /** What is asked for and given back in `work` counts when it is over, or when it says `settle`. */
  cork(work: () => void): void {
    this.#scheduler.cork(work);
  }

  settle(): void {
    this.#scheduler.settle();
  }

  request({ scheduling, state }: LiveExecution, step: StepIndex): void {
    const claim = this.#claim(state, step);
    this.#scheduler.request(scheduling, step, attemptCount(state, step) === 0 ? claim : claim.again);
  }

  /** The execution was folded again: these of its steps run all the same. */
  renew({ scheduling, state }: LiveExecution, running: readonly StepIndex[]): void {
    this.#scheduler.renew(
      scheduling,
      running.map((step) => ({ step, claim: this.#claim(state, step), startedAtMs: state.last[step]?.at })),
    );
  }

  /** An attempt that is still there did not end by itself: it is given up, and only its slot is free (CANCEL-2). */
  release({ scheduling, attempts, state }: LiveExecution, step: StepIndex): void {
    const attempt = attempts.get(step);
    // One that has not begun, because something is still being asked for, is over at once.
    if (attempt?.running === undefined) return void this.#scheduler.release(scheduling, step);
    this.#scheduler.onEnded(scheduling, step, isOverdue(attempt, state.at) ? "failing" : "other");
    this.onAgentAbandoned(attempt);
  }

  withdraw({ scheduling }: LiveExecution, step: StepIndex): void {
    this.#scheduler.withdraw(scheduling, step);
  }

  withdrawAll({ scheduling }: LiveExecution): void {
    this.#scheduler.withdrawAll(scheduling);
  }

  forget({ scheduling }: LiveExecution): void {
    this.#scheduler.forget(scheduling);
  }

  /** What it left running still uses its resources; they are free when it has settled. */
  onEnded(attempt: StepAttempt, outcome: Outcome): void {
    const { owner, stepIndex } = attempt;
    if (this.#claims.hasBreakers) {
      // Whatever it ends with, an attempt that ran out of time has timed out (FAIL-4).
      const result = owner.state.overdue.has(stepIndex) ? "failing" : attemptResult(outcome);
      this.#scheduler.onEnded(owner.scheduling, stepIndex, result);
    }
    if (!attempt.hasExited) this.onAbandoned(attempt);
  }

  /** Its execution is let go, and it may still run. */
  onAbandoned(attempt: StepAttempt): void {
    this.#scheduler.release(
      attempt.owner.scheduling,
      attempt.stepIndex,
      attempt.running === undefined ? undefined : attempt,
    );
  }

  /** It was given up by force. What runs elsewhere ends by that; a function in this process may go on for ever. */
  onAgentAbandoned(attempt: StepAttempt): void {
    if (attempt.localAgent === undefined || attempt.running === undefined) return this.onAbandoned(attempt);
    const kept = this.#scheduler.release(attempt.owner.scheduling, attempt.stepIndex, attempt, true);
    for (const { resource } of kept) this.#holdsOn(attempt, resource.name);
  }

  onExited(attempt: StepAttempt): void {
    this.#scheduler.onExited(attempt);
  }

  /** The breaker of the agent that runs a step, if it has one. */
  breaker({ state }: LiveExecution, step: StepIndex): Breaker | undefined {
    return this.#claim(state, step).requirement.breaker;
  }

  why({ scheduling }: LiveExecution, step: number): readonly WaitReason<LiveExecution>[] {
    return this.#scheduler.why(scheduling, step);
  }

  #claim(state: State, step: StepIndex): Claim {
    const program = enclosingProgram(state, step);
    const local = localIndex(state, step);
    const claims = this.#programClaims(program);
    return (claims[local] ??= this.#makeClaim(state, step, program.steps[local]!.definition));
  }

  /** A program that is that of a map's items belongs to this map only, so the claims of its steps can be kept by it. */
  #makeClaim(state: State, step: StepIndex, definition: StepDefinition): Claim {
    return this.#claims.makeClaim(enclosingWorkflow(state, step), definition, mapsAround(state, step));
  }

  /** Steps that ask one after the other are mostly of one program: the claims of the last one are at hand. */
  #programClaims(program: Program): (Claim | undefined)[] {
    if (program === this.#recent) return this.#recentClaims;
    let claims = this.#known.get(program);
    if (claims === undefined) this.#known.set(program, (claims = program.steps.map(() => undefined)));
    this.#recent = program;
    this.#recentClaims = claims;
    return claims;
  }
}

/** FAIL-6: a timeout counts like a failure. While its deadline is still armed, only the wall clock has passed it. */
function isOverdue({ deadline, bucket }: StepAttempt, at: EpochMs): boolean {
  return deadline !== undefined && deadline <= at && bucket === undefined;
}

function attemptResult(outcome: Outcome): "succeeded" | "failing" | "other" {
  if (outcome.kind !== "failed") return "succeeded";
  return resultOfFailure(outcome.failure);
}

/** Who says when to come again works: that is a request, whatever it is called by (FAIL-6). */
export function resultOfFailure({ class: kind, retryAfter }: Failure): "failing" | "other" {
  if (retryAfter !== undefined) return "other";
  return kind === "transient" || kind === "timeout" ? "failing" : "other";
}
