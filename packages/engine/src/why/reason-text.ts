// Formats a reason as a sentence: what the step waits for, who holds it, and until when if that is known.

import type { EpochMs } from "@segno/kernel";
import { endText } from "./end-text.ts";
import type { AdmissionReason, ApprovalReason, Reason, StepOfExecution } from "./reason.ts";

export interface NamedStep {
  readonly name: string;
  /** The label of the item. */
  readonly label: string | undefined;
}

export function reasonText(step: NamedStep | undefined, reason: Reason, now: EpochMs): string {
  if (step !== undefined && reason.kind === "parked") return `${quotedName(step)} cannot start: ${reason.reason}`;
  const who = step === undefined ? "the execution" : quotedName(step);
  return `${who} ${sentence(reason, now)}`;
}

function quotedName({ name, label }: NamedStep): string {
  return label === undefined ? `\`${name}\`` : `\`${name}\` (${label})`;
}

function sentence(reason: Reason, now: EpochMs): string {
  switch (reason.kind) {
    case "ended":
      return `has ended: ${reason.status}${endText(reason)}`;
    case "paused":
      return "is paused";
    case "parked":
      return `is parked: ${reason.reason}`;
    case "held":
      return `is ready, but the execution is ${reason.by}`;
    case "dependency":
      return `waits for ${stepNames(reason.on)}`;
    case "item":
      return `waits until its item can start: its map runs at most ${reason.limit} items at once`;
    case "running":
      return `is running, attempt ${reason.attempt}`;
    case "stopping":
      return `was asked to stop${reasonSuffix(reason.reason)}; it has time to clean up and is ended by force ${when(reason.until, now)}`;
    case "backoff":
      return `failed (${reason.failure.message}) and is tried again ${when(reason.until, now)}`;
    case "timer":
      return `sleeps; it continues ${when(reason.until, now)}`;
    case "signal":
      return `waits for the signal \`${reason.signal}\`${expiry(reason.until, now)}`;
    case "approval":
      return approvalText(reason, now);
    case "children":
      return `waits for its own steps, ${reason.unsettled} of which have not ended`;
    case "ready":
      return "is ready; the process that owns the journal will start it";
    default:
      return admissionText(reason, now);
  }
}

function admissionText(reason: AdmissionReason, now: EpochMs): string {
  switch (reason.kind) {
    case "closing":
      return "waits because this process is closing";
    case "slots":
      return `waits for a slot: all ${reason.max} slots of this process are in use (\`limits.slots\`)`;
    case "execution-limit":
      return `waits because its workflow runs at most ${reason.max} steps at once (\`concurrency\`)`;
    case "agent":
      return `waits for the agent \`${reason.agent}\`, which runs at most ${reason.max} attempts at once`;
    case "step-limit":
      return `waits because at most ${reason.max} attempts of this step run at once (\`limits\`)`;
    case "resource":
      return `waits for ${reason.wanted} of \`${reason.resource}\`: ${Math.max(0, reason.free)} of ${reason.max} free${holders(reason)}`;
    case "quota":
      return `waits for \`${reason.resource}\`, whose rate is used up${refill(reason.untilMs, now)}`;
    case "breaker":
      return `waits because the agent \`${reason.agent}\` failed repeatedly and its circuit breaker is open; the next probe is ${when(reason.untilMs as EpochMs, now)}`;
    case "position":
      return `is ready and waits for its turn; ${ahead(reason)} come first`;
  }
}

function refill(untilMs: number | undefined, now: EpochMs): string {
  return untilMs === undefined ? "" : `; it continues ${when(untilMs as EpochMs, now)}`;
}

function ahead({ executions, steps }: AdmissionReason & { kind: "position" }): string {
  const others = executions === 1 ? "1 other execution" : `${executions} other executions`;
  const own = steps === 1 ? "1 step of its own" : `${steps} steps of its own`;
  if (executions === 0) return own;
  return steps === 0 ? others : `${others} and ${own}`;
}

function holders({ holders: held, reservedFor }: AdmissionReason & { kind: "resource" }): string {
  const by = held.map(
    (holder) => `${stepText(holder)} of ${holder.execution}${holder.isLingering ? " (ended, but still running)" : ""}`,
  );
  const holding = by.length === 0 ? "" : `, held by ${by.slice(0, 5).join(", ")}${by.length > 5 ? " and others" : ""}`;
  return reservedFor === undefined ? holding : `${holding}; kept for ${stepText(reservedFor)}, which has waited longer`;
}

function stepText({ step, label }: StepOfExecution): string {
  return quotedName({ name: step, label });
}

function stepNames(steps: readonly string[]): string {
  const shown = steps.slice(0, 5).map((step) => `\`${step}\``);
  if (shown.length === 0) return "earlier steps";
  return steps.length > 5 ? `${shown.join(", ")} and ${steps.length - 5} more` : shown.join(", ");
}

/** The voters, the votes so far, the deadline and the question. */
function approvalText(
  { by, quorum, approved, changes, message, needsAnswer, until }: ApprovalReason,
  now: EpochMs,
): string {
  const voters = by === undefined ? "anyone" : listWithOr(by);
  const approvers = approved.length === 0 ? "" : ` (${listWithCommas(approved)})`;
  const parts = [
    `waits for approval${needsAnswer === true ? " with an answer" : ""} by ${voters}`,
    `${approved.length} of ${quorum} so far${approvers}`,
    ...(until === undefined ? [] : [`expires ${when(until, now)}`]),
  ];
  const requestedChanges =
    changes === undefined ? "" : ` (${changes.by} requested changes${reasonSuffix(changes.comment)})`;
  return `${parts.join(", ")}${reasonSuffix(message)}${requestedChanges}`;
}

function reasonSuffix(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `: ${text}`;
}

/** Further names are only counted. */
const NAMES_MAX = 5;

function listWithOr(people: readonly string[]): string {
  if (people.length > NAMES_MAX) return `${people.slice(0, NAMES_MAX).join(", ")} or ${people.length - NAMES_MAX} more`;
  return people.length === 1 ? people[0]! : `${people.slice(0, -1).join(", ")} or ${people.at(-1)}`;
}

function listWithCommas(people: readonly string[]): string {
  const more = people.length > NAMES_MAX ? ` and ${people.length - NAMES_MAX} more` : "";
  return `${people.slice(0, NAMES_MAX).join(", ")}${more}`;
}

function expiry(until: EpochMs | undefined, now: EpochMs): string {
  return until === undefined ? "" : `, which must arrive ${when(until, now)}`;
}

/** The largest valid date; a grace period may end later. */
const LAST_DATE_MS = 8.64e15;

/** A relative time for the near future, and the timestamp for later times. */
function when(at: EpochMs, now: EpochMs): string {
  const ms = at - now;
  if (ms <= 0) return "now";
  if (ms < 60_000) return `in ${Math.ceil(ms / 1000)} s`;
  if (ms < 3_600_000) return `in ${Math.ceil(ms / 60_000)} min`;
  return `at ${new Date(Math.min(at, LAST_DATE_MS)).toISOString()}`;
}
