// Why a step was skipped, or what it waits for, in a few words (STATE-10).

import { effectiveVotes, type SkipReason, type Vote, type Wait } from "@segno/kernel";

import { countdownText } from "./elapsed-text.ts";
import type { StepProgress } from "./step-progress.ts";

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

/** How a step that was cancelled ended. What had not begun was cancelled with its execution, which says why. */
export function stopText(ended: NonNullable<StepProgress["stopped"]>, reason = ""): string {
  const how = ended === "by-force" ? "ended by force" : "cancelled";
  return reason === "" || ended === "unbegun" ? how : `${how}: ${reason}`;
}

export interface WaitTextOptions {
  readonly now: number;
  /** Votes on an approval so far. */
  readonly votes?: readonly Vote[] | undefined;
  /** Ticking, unless it is said once and for all. */
  readonly timeText?: (ms: number) => string;
}

/** With what is left of its time. */
export function waitText(wait: Wait, { now, votes = [], timeText = countdownText }: WaitTextOptions): string {
  const timeLeft = (expiresAt: number | undefined): string =>
    expiresAt === undefined ? "" : `, ${timeText(expiresAt - now)} left`;
  switch (wait.kind) {
    case "timer":
      return `waits ${timeText(wait.dueAt - now)}`;
    case "signal":
      return `waits for the signal \`${wait.signal}\`${timeLeft(wait.expiresAt)}`;
    case "approval":
      return `waits for approval${voters(wait.by)}${soFar(wait, votes)}${timeLeft(wait.expiresAt)}${question(wait)}`;
  }
}

function voters(by: readonly string[] | undefined): string {
  if (by === undefined) return "";
  return ` by ${by.length === 1 ? by[0]! : `${by.slice(0, -1).join(", ")} or ${by.at(-1)}`}`;
}

/** Where one vote is enough, none has come. */
function soFar({ quorum }: Wait & { kind: "approval" }, votes: readonly Vote[]): string {
  return quorum === 1 ? "" : `, ${effectiveVotes(votes).length} of ${quorum} so far`;
}

function question({ message }: Wait & { kind: "approval" }): string {
  return message === undefined ? "" : `: ${message}`;
}
