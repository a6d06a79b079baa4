// The checks of a commit on GitHub: check runs and commit statuses, both of which count.
//
//   GK1. A failure is reported at once, even while other checks still run.
//   GK2. No check is not a passed check: without a check, and without an expected one, the result stays pending unless
//        `allowNoChecks` says otherwise. CI systems create their checks some time after the push.

import type { PullRequestChecks } from "../vcs/pull-requests.ts";
import type { CheckRun, CommitStatus } from "./github-answers.ts";

export interface ForgeCheck {
  readonly name: string;
  readonly state: "pending" | "passed" | "failed";
  readonly log: string;
}

/** Conclusions of a check run that do not prevent a merge. */
const PASSED: ReadonlySet<string | null> = new Set(["success", "neutral", "skipped"]);
const LOG_CHARS_MAX = 32_768;

export function ofCheckRun({ name, status, conclusion, output }: CheckRun): ForgeCheck {
  const log = [output.title, output.summary, output.text].filter((text) => text !== null && text !== "").join("\n\n");
  if (status !== "completed") return { name, state: "pending", log };
  return { name, state: PASSED.has(conclusion) ? "passed" : "failed", log: log || `the conclusion is ${conclusion}` };
}

export function ofCommitStatus({ context, state, description, target_url }: CommitStatus): ForgeCheck {
  const log = [description, target_url].filter((text) => text !== null && text !== "").join("\n");
  if (state === "pending") return { name: context, state, log };
  return { name: context, state: state === "success" ? "passed" : "failed", log: log || `the state is ${state}` };
}

export function combineChecks(
  checks: readonly ForgeCheck[],
  expected: readonly string[],
  allowNoChecks: boolean,
): PullRequestChecks {
  const failed = checks.find(({ state }) => state === "failed");
  if (failed !== undefined) return { kind: "failed", name: failed.name, log: lastPart(failed.log) };
  if (checks.some(({ state }) => state === "pending")) return { kind: "pending" };
  const names = new Set(checks.map(({ name }) => name));
  if (expected.some((name) => !names.has(name))) return { kind: "pending" };
  return { kind: checks.length > 0 || allowNoChecks ? "passed" : "pending" };
}

/** The end of a log, where the failure usually is. */
function lastPart(log: string): string {
  return log.length <= LOG_CHARS_MAX ? log : `…${log.slice(1 - LOG_CHARS_MAX).toWellFormed()}`;
}
