// A reason as a sentence: what is waited for, who has it, and until when as far as anybody knows.

import type { EpochMs } from "@segno/kernel";
import type { Admission, Reason } from "./reason.ts";

export function reasonText(step: string | undefined, reason: Reason, now: EpochMs): string {
  const who = step === undefined ? "the execution" : `\`${step}\``;
  return `${who} ${sentence(reason, now)}`;
}

function sentence(reason: Reason, now: EpochMs): string {
  switch (reason.kind) {
    case "ended":
      return `has ended: ${reason.status}`;
    case "paused":
      return "is paused; `segno resume` lets it go on";
    case "parked":
      return `is parked: ${reason.reason}`;
    case "dependency":
      return `waits for ${names(reason.on)}`;
    case "running":
      return `is running, attempt ${reason.attempt}`;
    case "stopping":
      return "was told to stop and is cleaning up";
    case "backoff":
      return `failed (${reason.failure.message}) and is tried again ${when(reason.until, now)}`;
    case "timer":
      return `sleeps; it goes on ${when(reason.until, now)}`;
    case "signal":
      return `waits for the signal \`${reason.signal}\`${expiry(reason.until, now)}`;
    case "approval":
      return `waits for ${approvers(reason.quorum, reason.by)}${expiry(reason.until, now)}`;
    case "children":
      return `waits for its own steps, ${reason.unsettled} of which have not ended`;
    case "ready":
      return "is ready and will be taken up by the process that owns the journal";
    default:
      return admission(reason, now);
  }
}

function admission(reason: Admission, now: EpochMs): string {
  switch (reason.kind) {
    case "closing":
      return "waits because this process is about to end";
    case "slots":
      return `waits for a slot: all ${reason.max} of this process are taken (\`limits.slots\`)`;
    case "execution":
      return `waits because its workflow runs at most ${reason.max} steps at once (\`concurrency\`)`;
    case "agent":
      return `waits for the agent \`${reason.agent}\`, which runs at most ${reason.max} at once`;
    case "step-limit":
      return `waits because at most ${reason.max} of this step run at once (\`limits\`)`;
    case "resource":
      return `waits for ${reason.wanted} of \`${reason.resource}\`: ${Math.max(0, reason.free)} of ${reason.max} free${holders(reason)}`;
    case "quota":
      return `waits for \`${reason.resource}\`, whose rate is used up${refill(reason.untilMs, now)}`;
    case "breaker":
      return `waits because the agent \`${reason.agent}\` kept failing; it is tried again ${when(reason.untilMs as EpochMs, now)}`;
    case "turn":
      return `could run and waits for its turn; ${ahead(reason)} come first`;
  }
}

function refill(untilMs: number | undefined, now: EpochMs): string {
  return untilMs === undefined ? "" : `; it goes on ${when(untilMs as EpochMs, now)}`;
}

function ahead({ executions, steps }: Admission & { kind: "turn" }): string {
  const others = executions === 1 ? "1 other execution" : `${executions} other executions`;
  const own = steps === 1 ? "1 step of its own" : `${steps} steps of its own`;
  if (executions === 0) return own;
  return steps === 0 ? others : `${others} and ${own}`;
}

function holders({ holders: held, reservedFor }: Admission & { kind: "resource" }): string {
  const by = held.map(
    ({ owner, isGivenUp }) =>
      `\`${owner.step}\` of ${owner.execution}${isGivenUp ? " (given up, but still at work)" : ""}`,
  );
  const holding = by.length === 0 ? "" : `, held by ${by.slice(0, 5).join(", ")}${by.length > 5 ? " and others" : ""}`;
  return reservedFor === undefined
    ? holding
    : `${holding}; kept for \`${reservedFor.owner.step}\`, which has waited longer`;
}

function names(steps: readonly string[]): string {
  const shown = steps.slice(0, 5).map((step) => `\`${step}\``);
  if (shown.length === 0) return "what comes before it";
  return steps.length > 5 ? `${shown.join(", ")} and ${steps.length - 5} more` : shown.join(", ");
}

function approvers(quorum: number, by: readonly string[] | undefined): string {
  const who = by === undefined ? "anybody" : by.join(", ");
  return quorum === 1 ? `an approval by ${who}` : `${quorum} approvals by ${who}`;
}

function expiry(until: EpochMs | undefined, now: EpochMs): string {
  return until === undefined ? "" : `, which must come ${when(until, now)}`;
}

/** Until when, as people count; the moment itself for what is far away. */
function when(at: EpochMs, now: EpochMs): string {
  const ms = at - now;
  if (ms <= 0) return "now";
  if (ms < 60_000) return `in ${Math.ceil(ms / 1000)} s`;
  if (ms < 3_600_000) return `in ${Math.ceil(ms / 60_000)} min`;
  return `at ${new Date(at).toISOString()}`;
}
