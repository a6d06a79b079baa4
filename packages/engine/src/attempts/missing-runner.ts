// What a process lacks to run a step: an agent, a secret, the permission to reach a private address. Another process may have
// it, so the execution is parked for the step, and never fails for the want of it (FAIL-9).
//
//   L1. An agent is missed before an attempt begins, the rest when it does. Then the attempt is given up in order, so that it
//       counts neither as tried nor as lost, and the next one has its number.
//   L2. The cause is in the journal as a code, and the reason as text with names only. A process that finds the cause there
//       looks whether it has what was missing, and goes on by itself if it does.

import {
  compiledStep,
  isRetried,
  stepName,
  type Failure,
  type Outcome,
  type ParkCause,
  type State,
  type StepIndex,
} from "@segno/kernel";
import type { AttemptRuntime } from "./attempt-runtime.ts";
import type { StepAttempt } from "./step-attempt.ts";

/** The cause of a failure that parks an execution: the runner of requests refuses an address, or a secret has no value. */
export function missingCause({ code }: Failure): ParkCause {
  return code === ADDRESS_REFUSED ? "address-refused" : "no-secret";
}

export function unregisteredReason(what: string): string {
  return `nothing is registered to run \`${what}\``;
}

export function missingRunnerReason(state: State, step: StepIndex, { code, message }: Failure): string {
  return `the process lacks what \`${stepName(state, step)}\` needs: ${message} (${code})`;
}

/** The causes that another process, or this one later, may not have. */
const MISSING: ReadonlySet<ParkCause> = new Set(["no-runner", "no-secret", "address-refused"]);

/** The step that an execution is parked for because the process lacked something. */
export function missingRunnerStep({ hold }: State): StepIndex | undefined {
  return hold?.kind === "parked" && MISSING.has(hold.cause) ? hold.step : undefined;
}

/** Whether it is parked because nothing was registered to run a step. */
export function isUnregistered({ hold }: State): boolean {
  return hold?.kind === "parked" && hold.cause === "no-runner";
}

/** Whether a process has what the execution was parked for, where that is not an agent (L2). */
export async function canUnpark(
  state: State,
  step: StepIndex,
  runtime: Pick<AttemptRuntime, "mayReachPrivate" | "secretProblemAt">,
): Promise<boolean> {
  const { hold } = state;
  if (hold?.kind === "parked" && hold.cause === "address-refused") return runtime.mayReachPrivate;
  return (await runtime.secretProblemAt(state, step)) === undefined;
}

const ADDRESS_REFUSED = "HTTP_ADDRESS_REFUSED";

/** Whether the step would fail by this, and not be tried again. */
export function isLastTry({ owner, stepIndex, attempt }: StepAttempt, failure: Failure): boolean {
  return !isRetried(compiledStep(owner.state, stepIndex).retry, failure, attempt);
}

/** What the runner of requests says for itself; a function that throws the same code means something else. */
export function findMissingRunner({ action }: StepAttempt, outcome: Outcome): Failure | undefined {
  if (action.kind !== "http" || outcome.kind !== "failed") return undefined;
  return outcome.failure.code === ADDRESS_REFUSED ? outcome.failure : undefined;
}
