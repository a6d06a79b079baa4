// What a process lacks to run a step: an agent, a secret, the permission to reach a private address. Another process may have
// it, so the execution is parked for the step, and never fails for the want of it (FAIL-9).
//
//   L1. An agent is missed before an attempt begins, the rest when it does. Then the attempt is given up in order, so that it
//       counts neither as tried nor as lost, and the next one has its number.
//   L2. The reason is in the journal, with names only. A process that finds it there looks whether it has what was missing,
//       and goes on by itself if it does.

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

/** How the reason begins when nothing is registered to run a step. */
const UNREGISTERED = "nothing is registered to run";
/** How it begins when a step has something to run with, and something else is missing. */
const MISSING_RUNNER = "the process lacks what";

export function unregisteredReason(what: string): string {
  return `${UNREGISTERED} \`${what}\``;
}

export function missingRunnerReason(state: State, step: StepIndex, { code, message }: Failure): string {
  return `${MISSING_RUNNER} \`${stepName(state, step)}\` needs: ${message} (${code})`;
}

/** The step that an execution is parked for because the process lacked something. */
export function missingRunnerStep(state: State): StepIndex | undefined {
  const { hold } = state;
  return hold?.kind === "parked" && (isUnregistered(state) || isMissingRunner(state)) ? hold.step : undefined;
}

/** Whether it is parked because nothing was registered to run a step. */
export function isUnregistered(state: State): boolean {
  return parkedFor(state).startsWith(UNREGISTERED);
}

function isMissingRunner(state: State): boolean {
  return parkedFor(state).startsWith(MISSING_RUNNER);
}

/** Whether a process has what the execution was parked for, where that is not an agent (L2). */
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

/** Whether the step would fail by this, and not be tried again. */
export function isLastTry({ owner, stepIndex, attempt }: StepAttempt, failure: Failure): boolean {
  return !isRetried(compiledStep(owner.state, stepIndex).retry, failure, attempt);
}

/** What the runner of requests says for itself; a function that throws the same code means something else. */
export function findMissingRunner({ action }: StepAttempt, outcome: Outcome): Failure | undefined {
  if (action.kind !== "http" || outcome.kind !== "failed") return undefined;
  return outcome.failure.code === ADDRESS_REFUSED ? outcome.failure : undefined;
}
