// Checks waits and approvals: a wait that could never end is refused before anything starts (BEYOND-2).

import type { ApproveAction, StepDefinition, WaitAction } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import { DURATION_MS_MAX } from "../model/policy.ts";
import type { ProblemCollector } from "./problem-collector.ts";

const SIGNAL_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/u;

/** Whether a step can wait for a signal of this name. */
export function isSignalName(name: string): boolean {
  return SIGNAL_NAME.test(name);
}

export function checkWaits({ id, action }: StepDefinition, index: number, problems: ProblemCollector): void {
  const at = ["steps", index, "action"];
  if (action.kind === "wait") checkWait(id, action, at, problems);
  if (action.kind === "approve") checkApproval(id, action, at, problems);
}

function checkWait(id: string, wait: WaitAction, at: JsonPath, problems: ProblemCollector): void {
  if (wait.on === "duration") return checkTime(id, wait.for, [...at, "for"], problems);
  if (wait.on === "time") return;
  checkTime(id, wait.timeout, [...at, "timeout"], problems);
  if (isSignalName(wait.signal)) return;
  problems.structural(
    "WAIT_INVALID",
    [...at, "signal"],
    `\`${id}\` waits for ${JSON.stringify(wait.signal)}, which cannot be the name of a signal`,
    "a name is a letter or `_`, then letters, digits, `_`, `.` and `-`, 128 characters at most",
  );
}

function checkTime(id: string, ms: number | undefined, at: JsonPath, problems: ProblemCollector): void {
  if (ms === undefined || (Number.isSafeInteger(ms) && ms >= 0 && ms <= DURATION_MS_MAX)) return;
  problems.structural("WAIT_INVALID", at, `\`${id}\` waits for ${String(ms)} ms, which is not a valid duration`);
}

function checkApproval(id: string, approve: ApproveAction, at: JsonPath, problems: ProblemCollector): void {
  const { by, quorum = 1, expires } = approve;
  checkTime(id, expires, [...at, "expires"], problems);
  if (by !== undefined) checkVoters(id, by, [...at, "by"], problems);
  const voters = by === undefined ? Number.MAX_SAFE_INTEGER : new Set(by).size;
  if (!Number.isSafeInteger(quorum) || quorum < 1)
    problems.structural(
      "APPROVAL_INVALID",
      [...at, "quorum"],
      `\`${id}\` has a quorum of ${String(quorum)}; expected at least 1`,
    );
  else if (quorum > voters && voters > 0)
    problems.structural(
      "APPROVAL_INVALID",
      [...at, "quorum"],
      `\`${id}\` has a quorum of ${quorum}, but only ${voters === 1 ? "1 person" : `${voters} people`} may vote: it could never be approved`,
    );
}

function checkVoters(id: string, by: readonly string[], at: JsonPath, problems: ProblemCollector): void {
  if (by.length === 0) problems.structural("APPROVAL_INVALID", at, `\`${id}\` has no voters`, LEAVE_OUT);
  const named = new Set<string>();
  by.forEach((name, index) => {
    if (name.trim() === "")
      problems.structural("APPROVAL_INVALID", [...at, index], `a name in \`by\` of \`${id}\` is empty`, LEAVE_OUT);
    else if (named.has(name))
      problems.structural("APPROVAL_INVALID", [...at, index], `\`${name}\` is named twice in \`by\``);
    named.add(name);
  });
}

const LEAVE_OUT = "without `by`, everybody may vote";
