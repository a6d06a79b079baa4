// A process may lack something that a step needs: an agent, its module, a secret, or the permission to reach a private
// address. Another process may have it, so the execution is parked on the step and does not fail (FAIL-9).
//
//   L1. A missing agent is detected before an attempt starts, everything else when it starts. That attempt is ended
//       gracefully: it counts neither as a try nor as lost, and the next attempt gets the same number.
//   L2. The journal records the cause as a code, and the reason as text with names only. A process that loads the
//       execution checks by the cause whether it has what was missing, and if so resumes the execution.

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
import type { AttemptSecrets } from "./attempt-secrets.ts";
import type { ModuleAgents } from "./module-agents.ts";
import { agentDefinition, type StepAttempt } from "./step-attempt.ts";

/** The cause that a failure parks an execution for. */
export function missingCause({ code }: Failure): ParkCause {
  switch (code) {
    case ADDRESS_REFUSED:
      return "address-refused";
    case MODULE_MISSING:
      return "no-module";
    default:
      return "no-secret";
  }
}

export function unregisteredReason(what: string): string {
  return `no agent or function is registered for \`${what}\``;
}

export function missingRunnerReason(state: State, step: StepIndex, { code, message }: Failure): string {
  return `this process cannot run \`${stepName(state, step)}\`: ${message} (${code})`;
}

/** The causes that do not hold in a process that has what was missing. */
const MISSING: ReadonlySet<ParkCause> = new Set(["no-runner", "no-module", "no-secret", "address-refused"]);

/** The step that the execution is parked on because the process lacked something. */
export function missingRunnerStep({ hold }: State): StepIndex | undefined {
  return hold?.kind === "parked" && MISSING.has(hold.cause) ? hold.step : undefined;
}

/** Whether the execution is parked because no agent was registered for a step. */
export function isUnregistered({ hold }: State): boolean {
  return hold?.kind === "parked" && hold.cause === "no-runner";
}

/** Whether the execution is parked because a secret of a step had no usable value. */
export function isWithoutSecret({ hold }: State): boolean {
  return hold?.kind === "parked" && hold.cause === "no-secret";
}

/** Things that a process may lack beside an agent. */
export interface MissingParts {
  /** Whether requests may reach any private address at all. */
  readonly mayReachPrivate: boolean;
  readonly secrets: Pick<AttemptSecrets, "problemAt">;
  readonly modules: Pick<ModuleAgents, "exists">;
}

/** Whether this process has what the execution was parked for, if that is not an agent (L2). */
export async function canUnpark(state: State, step: StepIndex, parts: MissingParts): Promise<boolean> {
  const { hold } = state;
  if (hold?.kind === "parked" && hold.cause === "address-refused") return parts.mayReachPrivate;
  if (hold?.kind === "parked" && hold.cause === "no-module") return parts.modules.exists(agentDefinition(state, step));
  return (await parts.secrets.problemAt(state, step)) === undefined;
}

const ADDRESS_REFUSED = "HTTP_ADDRESS_REFUSED";
const MODULE_MISSING = "AGENT_MODULE_MISSING";

/** Whether the step would fail with this failure and not be retried. */
export function isLastTry({ liveExecution, stepIndex, attempt }: StepAttempt, failure: Failure): boolean {
  return !isRetried(compiledStep(liveExecution.state, stepIndex).retry, failure, attempt);
}

/**
 * Only the HTTP runner reports a refused address, and only a module agent a missing module; a function that throws the
 * same code means something else.
 */
export function findMissingRunner(attempt: StepAttempt, outcome: Outcome): Failure | undefined {
  if (outcome.kind !== "failed") return undefined;
  const { code } = outcome.failure;
  const isMissing =
    attempt.action.kind === "http"
      ? code === ADDRESS_REFUSED
      : code === MODULE_MISSING && attempt.agentDefinition?.module !== undefined;
  return isMissing ? outcome.failure : undefined;
}
