// Describes why a step was skipped, or what it waits for (STATE-10).

import { effectiveVotes, type SkipReason, type StepDetail, type Vote, type Wait } from "@segno/kernel";

import { countdownText } from "./elapsed-text.ts";

export function skipText(reason: SkipReason, nameOf: (step: number) => string): string {
  switch (reason.kind) {
    case "condition":
      return "skipped: condition";
    case "disabled":
      return "skipped: disabled";
    case "skipped-by-handler":
    case "failing":
      return reason.message === "" ? "skipped" : `skipped: ${reason.message}`;
    case "dependency-failed":
      return `skipped: \`${nameOf(reason.dependency)}\` did not succeed`;
    case "fallback-unused":
      return `skipped: \`${nameOf(reason.primary)}\` needed no fallback`;
  }
}

type StoppedDetail = Extract<StepDetail, { readonly kind: "stopped" }>;

/** Describes how a cancelled step ended. A step that had not started was cancelled with its execution, which has the reason. */
export function stopText({ ended, reason }: Omit<StoppedDetail, "kind">): string {
  const how = ended === "by-force" ? "ended by force" : "cancelled";
  return reason === "" || ended === "unbegun" ? how : `${how}: ${reason}`;
}

export interface WaitTextOptions {
  readonly now: number;
  /** The votes on an approval so far. */
  readonly votes?: readonly Vote[] | undefined;
  /** The current time, for a countdown; absent in a text that is printed once. */
  readonly timeText?: (ms: number) => string;
}

/** Includes the remaining time. */
export function waitText(wait: Wait, { now, votes = [], timeText = countdownText }: WaitTextOptions): string {
  const timeLeft = (expiresAt: number | undefined): string =>
    expiresAt === undefined ? "" : `, ${timeText(expiresAt - now)} left`;
  switch (wait.kind) {
    case "timer":
      return `waits ${timeText(wait.dueAt - now)}`;
    case "signal":
      return `waits for the signal \`${wait.signal}\`${timeLeft(wait.expiresAt)}`;
    case "approval":
      return `waits for approval${wait.needsAnswer === true ? " with an answer" : ""}${voters(wait.by)}${soFar(wait, votes)}${timeLeft(wait.expiresAt)}${question(wait)}`;
  }
}

function voters(by: readonly string[] | undefined): string {
  if (by === undefined) return "";
  return ` by ${by.length === 1 ? by[0]! : `${by.slice(0, -1).join(", ")} or ${by.at(-1)}`}`;
}

/** If one vote is enough, there is none yet. */
function soFar({ quorum }: Wait & { kind: "approval" }, votes: readonly Vote[]): string {
  return quorum === 1 ? "" : `, ${effectiveVotes(votes).length} of ${quorum} so far`;
}

function question({ message }: Wait & { kind: "approval" }): string {
  return message === undefined ? "" : `: ${message}`;
}
