// Admission: slots and resources for the steps of executions. The scheduler knows accounts and claims; here they are found
// for executions and their steps, and attempts that were given up keep what they hold until they are over (CANCEL-2).

import {
  dependantCount,
  indexAround,
  mapsAround,
  programAround,
  stepName,
  workflowAround,
  type Definition,
  type EpochMs,
  type Failure,
  type Outcome,
  type Program,
  type State,
  type StepDefinition,
  type StepIndex,
} from "@segno/kernel";
import type { Breaker } from "../resources/breaker.ts";
import { ClaimMaker, type ClaimOptions } from "../resources/claim-maker.ts";
import type { Claim } from "../resources/claim.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import type { SchedulerClock } from "../scheduler/scheduler-time.ts";
import type { Strategy } from "../scheduler/strategy.ts";
import { admissionOf } from "../why/admission.ts";
import type { Admission as AdmissionReason } from "../why/reason.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { StepAttempt } from "./step-attempt.ts";

export interface AdmissionOptions extends Omit<ClaimOptions, "perAgent"> {
  readonly strategy?: Strategy;
}

export interface AdmissionPorts {
  readonly limits: SchedulerLimits;
  readonly options: AdmissionOptions;
  readonly granted: (execution: LiveExecution, step: StepIndex) => void;
  readonly clock: SchedulerClock;
  /** When `wake` is to be called, on the monotonic clock. */
  readonly wakeAt: (at: number | undefined) => void;
  readonly report: (error: unknown) => void;
  /** An attempt was abandoned, still runs, and holds a resource. */
  readonly holdsOn: (attempt: StepAttempt, resource: string) => void;
}

export class Admission {
  readonly #scheduler: Scheduler<LiveExecution>;
  readonly #claims: ClaimMaker;
  /** Claims that were made, by the indexes of their steps. */
  readonly #known = new WeakMap<Program, (Claim | undefined)[]>();
  #recent: Program | undefined;
  #recentClaims: (Claim | undefined)[] = [];

  readonly #holdsOn: AdmissionPorts["holdsOn"];

  constructor({ limits, options, granted, clock, wakeAt, report, holdsOn }: AdmissionPorts) {
    this.#holdsOn = holdsOn;
    this.#claims = new ClaimMaker({ ...options, perAgent: limits.perAgent });
    this.#scheduler = new Scheduler<LiveExecution>(
      limits,
      {
        grant: (execution, step) => granted(execution, step as StepIndex),
        clock,
        wakeAt,
        report,
        weight: ({ state }, step) => dependantCount(state, step),
        nameOf: ({ id, state }, step) => ({
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
  problemOf(definition: Definition): string | undefined {
    return this.#claims.problemOf(definition);
  }

  close(): void {
    this.#scheduler.close();
  }

  wake(): void {
    this.#scheduler.wake();
  }

  /** What is asked for and given back in `work` counts when it is over, or when it says `settle`. */
  together(work: () => void): void {
    this.#scheduler.gather(work);
  }

  settle(): void {
    this.#scheduler.settle();
  }

  request({ slots, state }: LiveExecution, step: StepIndex): void {
    const claim = this.#claimOf(state, step);
    this.#scheduler.request(slots, step, state.columns.attempts[step] === 0 ? claim : claim.again);
  }

  /** The execution was folded again: these of its steps run all the same. */
  renew({ slots, state }: LiveExecution, running: readonly StepIndex[]): void {
    this.#scheduler.renew(
      slots,
      running.map((step) => ({ step, claim: this.#claimOf(state, step), startedAtMs: state.last[step]?.at })),
    );
  }

  /** An attempt that is still there did not end by itself: it is given up, and only its slot is free (CANCEL-2). */
  release({ slots, attempts, state }: LiveExecution, step: StepIndex): void {
    const attempt = attempts.get(step);
    // One that has not begun, because something is still being asked for, is over at once.
    if (attempt?.running === undefined) return void this.#scheduler.release(slots, step);
    this.#scheduler.ended(slots, step, isOverdue(attempt, state.at) ? "failing" : "other");
    this.abandoned(attempt);
  }

  withdraw({ slots }: LiveExecution, step: StepIndex): void {
    this.#scheduler.withdraw(slots, step);
  }

  withdrawAll({ slots }: LiveExecution): void {
    this.#scheduler.withdrawAll(slots);
  }

  forget({ slots }: LiveExecution): void {
    this.#scheduler.forget(slots);
  }

  /** What it left running still uses its resources; they are free when it has settled. */
  ended(attempt: StepAttempt, outcome: Outcome): void {
    const { owner, place } = attempt;
    if (this.#claims.hasBreakers) {
      // Whatever it ends with, an attempt that ran out of time has timed out (FAIL-4).
      const result = owner.state.overdue.has(place) ? "failing" : resultOf(outcome);
      this.#scheduler.ended(owner.slots, place, result);
    }
    if (!attempt.isSettled) this.gaveUp(attempt);
  }

  /** Its execution is let go, and it may still run. */
  gaveUp(attempt: StepAttempt): void {
    this.#scheduler.release(attempt.owner.slots, attempt.place, attempt.running === undefined ? undefined : attempt);
  }

  /** It was given up by force. What runs elsewhere ends by that; a function in this process may go on for ever. */
  abandoned(attempt: StepAttempt): void {
    if (attempt.own === undefined || attempt.running === undefined) return this.gaveUp(attempt);
    const kept = this.#scheduler.release(attempt.owner.slots, attempt.place, attempt, true);
    for (const { resource } of kept) this.#holdsOn(attempt, resource.name);
  }

  over(attempt: StepAttempt): void {
    this.#scheduler.settled(attempt);
  }

  /** The breaker of the agent that runs a step, if it has one. */
  breakerOf({ state }: LiveExecution, step: StepIndex): Breaker | undefined {
    return this.#claimOf(state, step).need.breaker;
  }

  why({ slots }: LiveExecution, step: number): readonly AdmissionReason[] {
    return this.#scheduler.why(slots, step).map(admissionOf);
  }

  #claimOf(state: State, step: StepIndex): Claim {
    const program = programAround(state, step);
    const local = indexAround(state, step);
    const claims = this.#claimsOf(program);
    return (claims[local] ??= this.#makeClaim(state, step, program.steps[local]!.definition));
  }

  /** A program that is that of a map's items belongs to this map only, so the claims of its steps can be kept by it. */
  #makeClaim(state: State, step: StepIndex, definition: StepDefinition): Claim {
    return this.#claims.claimOf(workflowAround(state, step), definition, mapsAround(state, step));
  }

  /** Steps that ask one after the other are mostly of one program: the claims of the last one are at hand. */
  #claimsOf(program: Program): (Claim | undefined)[] {
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

function resultOf(outcome: Outcome): "succeeded" | "failing" | "other" {
  if (outcome.kind !== "failed") return "succeeded";
  return resultOfFailure(outcome.failure);
}

/** Who says when to come again works: that is a request, whatever it is called by (FAIL-6). */
export function resultOfFailure({ class: kind, retryAfter }: Failure): "failing" | "other" {
  if (retryAfter !== undefined) return "other";
  return kind === "transient" || kind === "timeout" ? "failing" : "other";
}
