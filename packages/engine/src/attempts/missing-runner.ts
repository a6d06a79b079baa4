// A process may lack something that a step needs: an agent, a secret, the permission to reach a private address.
// Another process may have it, so the execution is parked on the step and does not fail (FAIL-9).
//
//   L1. A missing agent is detected before an attempt starts, everything else when it starts. That attempt is ended
//       gracefully: it counts neither as a try nor as lost, and the next attempt gets the same number.
//   L2. The journal records the reason, with names only. A process that loads the execution checks whether it has what
//       was missing, and if so resumes the execution.

import {
  compiledStep,
  isRetried,
  stepName,
  type Failure,
  type Outcome,
  type State,
  type StepIndex,
} from "@segno/kernel";
import type { AttemptRuntime } from "./attempt-runtime.ts";
import type { StepAttempt } from "./step-attempt.ts";

/** Prefix of the reason if no agent is registered for the step. */
const UNREGISTERED = "nothing is registered to run";
/** Prefix of the reason if something other than the agent is missing. */
const MISSING_RUNNER = "the process lacks what";

export function unregisteredReason(what: string): string {
  return `${UNREGISTERED} \`${what}\``;
}

export function missingRunnerReason(state: State, step: StepIndex, { code, message }: Failure): string {
  return `${MISSING_RUNNER} \`${stepName(state, step)}\` needs: ${message} (${code})`;
}

/** The step that the execution is parked on because the process lacked something. */
export function missingRunnerStep(state: State): StepIndex | undefined {
  const { hold } = state;
  return hold?.kind === "parked" && (isUnregistered(state) || isMissingRunner(state)) ? hold.step : undefined;
}

/** Whether the execution is parked because no agent was registered for a step. */
export function isUnregistered(state: State): boolean {
  return parkedFor(state).startsWith(UNREGISTERED);
}

function isMissingRunner(state: State): boolean {
  return parkedFor(state).startsWith(MISSING_RUNNER);
}

/** Whether this process has what the execution was parked for, if that is not an agent (L2). */
export async function canUnpark(
  state: State,
  step: StepIndex,
  runtime: Pick<AttemptRuntime, "mayReachPrivate" | "secretProblemAt">,
): Promise<boolean> {
  if (parkedFor(state).endsWith(`(${ADDRESS_REFUSED})`)) return runtime.mayReachPrivate;
  return (await runtime.secretProblemAt(state, step)) === undefined;
}

function parkedFor({ hold }: State): string {
  return hold?.kind === "parked" ? hold.reason : "";
}

const ADDRESS_REFUSED = "HTTP_ADDRESS_REFUSED";

/** Whether the step would fail with this failure and not be retried. */
export function isLastTry({ owner, stepIndex, attempt }: StepAttempt, failure: Failure): boolean {
  return !isRetried(compiledStep(owner.state, stepIndex).retry, failure, attempt);
}

/** Only the HTTP runner reports a refused address; a function that throws the same code means something else. */
export function findMissingRunner({ action }: StepAttempt, outcome: Outcome): Failure | undefined {
  if (action.kind !== "http" || outcome.kind !== "failed") return undefined;
  return outcome.failure.code === ADDRESS_REFUSED ? outcome.failure : undefined;
}
