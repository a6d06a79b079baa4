// A process may lack a prerequisite of a step: an agent, its module, a secret, or the permission to reach a private
// address. Another process may have it, so the execution is parked on the step and does not fail (FAIL-9).
//
//   L1. A missing agent is detected before an attempt starts, everything else when it starts. That attempt does not
//       count: the journal records it as lost with `graceful`, and the next attempt gets the same number.
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

/** The cause for which a failure parks the execution. */
export function parkCauseOf({ code }: Failure): ParkCause {
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

export function missingPrerequisiteReason(state: State, step: StepIndex, { code, message }: Failure): string {
  return `this process cannot run \`${stepName(state, step)}\`: ${message} (${code})`;
}

/** The causes that a process with the missing prerequisite removes. */
const PREREQUISITE_CAUSES: ReadonlySet<ParkCause> = new Set(["no-agent", "no-module", "no-secret", "address-refused"]);

/** The step that the execution is parked on because a process lacked a prerequisite. */
export function missingPrerequisiteStep({ hold }: State): StepIndex | undefined {
  return hold?.kind === "parked" && PREREQUISITE_CAUSES.has(hold.cause) ? hold.step : undefined;
}

/** Whether the execution is parked because no agent was registered for a step. */
export function isParkedWithoutAgent({ hold }: State): boolean {
  return hold?.kind === "parked" && hold.cause === "no-agent";
}

/** Whether the execution is parked because a secret of a step had no usable value. */
export function isParkedWithoutSecret({ hold }: State): boolean {
  return hold?.kind === "parked" && hold.cause === "no-secret";
}

/** The prerequisites that a process may lack, except agents. */
export interface Prerequisites {
  /** Whether requests may reach any private address at all. */
  readonly mayReachPrivate: boolean;
  readonly secrets: Pick<AttemptSecrets, "findStepFailure">;
  readonly modules: Pick<ModuleAgents, "exists">;
}

/** Whether this process has the missing prerequisite, if that is not an agent (L2). */
export async function canUnpark(state: State, step: StepIndex, prerequisites: Prerequisites): Promise<boolean> {
  const { hold } = state;
  if (hold?.kind === "parked" && hold.cause === "address-refused") return prerequisites.mayReachPrivate;
  if (hold?.kind === "parked" && hold.cause === "no-module")
    return prerequisites.modules.exists(agentDefinition(state, step));
  return (await prerequisites.secrets.findStepFailure(state, step)) === undefined;
}

const ADDRESS_REFUSED = "HTTP_ADDRESS_REFUSED";
const MODULE_MISSING = "AGENT_MODULE_MISSING";

/** Whether another process may have what is missing: a secret, but not a file that was damaged. */
export function isOfProcess({ code }: Failure): boolean {
  return !code.startsWith("ARTIFACT_");
}

/** Whether the step would not be retried after this failure. */
export function isLastAttempt({ liveExecution, stepIndex, attempt }: StepAttempt, failure: Failure): boolean {
  return !isRetried(compiledStep(liveExecution.state, stepIndex).retry, failure, attempt);
}

/**
 * The failure of an outcome that reports a missing prerequisite. Only the HTTP runner reports a refused address, and
 * only a module agent reports a missing module. An agent that throws an error with the same code means something else.
 */
export function missingPrerequisiteFailure(attempt: StepAttempt, outcome: Outcome): Failure | undefined {
  if (outcome.kind !== "failed") return undefined;
  const { code } = outcome.failure;
  const isMissing =
    attempt.action.kind === "http"
      ? code === ADDRESS_REFUSED
      : code === MODULE_MISSING && attempt.agentDefinition?.module !== undefined;
  return isMissing ? outcome.failure : undefined;
}
