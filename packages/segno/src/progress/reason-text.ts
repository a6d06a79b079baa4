// Why a step was skipped, or what it waits for, in a few words (STATE-10).

import type { SkipReason, Wait } from "@segno/kernel";

import { countdownText } from "./elapsed-text.ts";

export function skipText(reason: SkipReason, nameOf: (step: number) => string): string {
  switch (reason.kind) {
    case "condition":
      return "skipped: condition";
    case "disabled":
      return "skipped: disabled";
    case "said-by-attempt":
    case "failing":
      return reason.message === "" ? "skipped" : `skipped: ${reason.message}`;
    case "dependency-failed":
      return `skipped: ${nameOf(reason.dependency)} did not succeed`;
    case "fallback-unused":
      return `skipped: ${nameOf(reason.primary)} needed no fallback`;
  }
}

/** With what is left of its time; ticking, unless it is said once and for all. */
export function waitText(wait: Wait, now: number, timeText: (ms: number) => string = countdownText): string {
  const left = (expiresAt: number | undefined): string =>
    expiresAt === undefined ? "" : `, ${timeText(expiresAt - now)} left`;
  switch (wait.kind) {
    case "timer":
      return `waits ${timeText(wait.dueAt - now)}`;
    case "signal":
      return `waits for the signal ${wait.signal}${left(wait.expiresAt)}`;
    case "approval":
      return `waits for approval${wait.by === undefined ? "" : ` by ${wait.by.join(", ")}`}${left(wait.expiresAt)}`;
  }
}
