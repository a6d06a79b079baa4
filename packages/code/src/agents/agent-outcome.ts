// How the attempt of an agent ended. The outcomes are kept apart, because each has its own consequence.
//
//   AO1. What the engine did comes first (a cancellation, a timeout), then the result file, then the last result event,
//        then the exit code.
//   AO2. An agent that reports success without changes has changed nothing; the files decide that, not the agent.

import type { ReportedResult } from "./agent-event.ts";

/** How the run of an agent has ended. */
export type AgentOutcome =
  | { readonly kind: "succeeded"; readonly result?: ReportedResult }
  | { readonly kind: "no-changes"; readonly result?: ReportedResult }
  | { readonly kind: "failed"; readonly reason: string; readonly result?: ReportedResult; readonly isLasting: boolean }
  | { readonly kind: "timed-out" }
  | { readonly kind: "stalled"; readonly silentMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "needs-input"; readonly question: string }
  | { readonly kind: "rate-limited"; readonly retryAfterMs?: number }
  | { readonly kind: "spawn-error"; readonly reason: string }
  | { readonly kind: "tampered"; readonly reason: string };

/** An action of the engine that ended the agent. */
export type Intervention =
  | { readonly kind: "timed-out" }
  | { readonly kind: "stalled"; readonly silentMs: number }
  | { readonly kind: "cancelled" }
  /** The agent has spent more than its budget. */
  | { readonly kind: "failed"; readonly reason: string; readonly isLasting: true };

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface AgentEnd {
  readonly intervention?: Intervention | undefined;
  readonly resultFile?: ReportedResult | undefined;
  readonly resultEvent?: ReportedResult | undefined;
  readonly exit: AgentExit;
  /** Exit codes of the program that mean that another attempt cannot succeed. */
  readonly lastingExitCodes?: readonly number[] | undefined;
}

/** Exit codes with a meaning; every other code but 0 is a failure. */
const EXIT = { needsInput: 10, noChanges: 20, retry: 75, permission: 77, configuration: 78 } as const;

export function toOutcome({ intervention, resultFile, resultEvent, exit, lastingExitCodes }: AgentEnd): AgentOutcome {
  if (intervention !== undefined) return intervention;
  const result = resultFile ?? resultEvent;
  const outcome = result === undefined ? outcomeOfExit(exit) : outcomeOfResult(result);
  const isLasting = exit.code !== null && lastingExitCodes?.includes(exit.code) === true;
  return outcome.kind === "failed" && isLasting ? { ...outcome, isLasting } : outcome;
}

/** The longest reason of a failure that is kept. An agent can write any text as its error. */
const REASON_CHARS_MAX = 4000;

/** An outcome with a reason that is not too long. It is masked before it is cut: a cut could leave half a secret (DATA-9). */
export function cutReason(outcome: AgentOutcome, maskText: (text: string) => string = (text) => text): AgentOutcome {
  if (outcome.kind !== "failed" || outcome.reason.length <= REASON_CHARS_MAX) return outcome;
  const reason = maskText(outcome.reason);
  if (reason.length <= REASON_CHARS_MAX) return { ...outcome, reason };
  return { ...outcome, reason: `${reason.slice(0, REASON_CHARS_MAX).toWellFormed()}…` };
}

function outcomeOfResult(result: ReportedResult): AgentOutcome {
  switch (result.status) {
    case "succeeded":
      return { kind: "succeeded", result };
    case "no_changes":
      return { kind: "no-changes", result };
    case "failed":
      return { kind: "failed", reason: result.summary ?? "the agent reported a failure", result, isLasting: false };
    case "needs_input":
      return { kind: "needs-input", question: result.question ?? result.summary ?? "the agent needs input" };
    case "rate_limited":
      return {
        kind: "rate-limited",
        ...(result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs }),
      };
  }
}

function outcomeOfExit({ code, signal }: AgentExit): AgentOutcome {
  if (code === null)
    return { kind: "failed", reason: `the agent was ended by ${signal ?? "a signal"}`, isLasting: false };
  switch (code) {
    case 0:
      return { kind: "succeeded" };
    case EXIT.noChanges:
      return { kind: "no-changes" };
    case EXIT.needsInput:
      return { kind: "needs-input", question: "the agent needs input and did not say which" };
    case EXIT.retry:
      return { kind: "failed", reason: "the agent asked for another attempt (exit code 75)", isLasting: false };
    case EXIT.permission:
    case EXIT.configuration:
      return { kind: "failed", reason: `the agent is not set up (exit code ${code})`, isLasting: true };
    default:
      return { kind: "failed", reason: `the agent ended with exit code ${code}`, isLasting: false };
  }
}
