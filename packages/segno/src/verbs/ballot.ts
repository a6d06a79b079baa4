// A vote as `segno approve` and `segno reject` cast it.

import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";

import type { ExecutionHandle, ExecutionReport, Reception, VoteOptions } from "@segno/engine";
import { isTerminalStatus, standingVotes, type StepSnapshot, type Vote } from "@segno/kernel";

import { findExecution } from "../executions/find-execution.ts";
import { findStep } from "../executions/find-step.ts";
import { openToAsk } from "../executions/open-engine.ts";
import { tell, type Told } from "../executions/tell.ts";
import type { ExitCode } from "../exit-code.ts";
import { titleOf } from "../progress/step-title.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import type { AnswerOptions } from "./answer-report.ts";
import { reportTold } from "./told-report.ts";

export interface BallotOptions extends AnswerOptions {
  readonly by?: string;
  readonly comment?: string;
  readonly id?: string;
}

export interface Ballot {
  readonly verb: "approve" | "reject";
  readonly verdict: Vote["verdict"];
  readonly id: string;
  readonly step: string;
  readonly options: BallotOptions;
}

export async function castBallot(ballot: Ballot, terminal: Terminal): Promise<ExitCode> {
  const { verb, verdict, options } = ballot;
  const vote = voteOf(options);
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, ballot.id);
  const report = await handle.status();
  const { name } = findStep(handle.id, report, ballot.step);
  const told = await toldOf(handle, report, { verdict, name, vote, isMarked: options.id !== undefined });
  const now = told.report.steps.find((step) => step.name === name);
  return reportTold({
    verb,
    what: "vote",
    id: handle.id,
    told,
    said: `${vote.by} ${DEEDS[verdict]} ${titleOf(now ?? { name })}${outcomeOf(now)}`,
    refusal: told.kind === "refused" ? refusalOf(told.reason, name, vote.by, now) : undefined,
    facts: { step: name, by: vote.by, verdict, voteId: vote.id },
    isElsewhere: !engine.isOwner,
    options,
    terminal,
  });
}

const DEEDS: Readonly<Record<Vote["verdict"], string>> = {
  approve: "approved",
  reject: "rejected",
  changes: "asked for changes of",
};

interface Cast {
  readonly verdict: Vote["verdict"];
  readonly name: string;
  readonly vote: VoteOptions & { readonly id: string };
  /** It has an id that somebody chose, and so may have been cast before. */
  readonly isMarked: boolean;
}

/** Whether it can count is looked at before it is posted; what was cast before is for the journal to say. */
async function toldOf(handle: ExecutionHandle, report: ExecutionReport, cast: Cast): Promise<Told> {
  const { name, vote, isMarked } = cast;
  const whyMoot = (now: ExecutionReport): string | undefined => mootReason(now, name, vote.by);
  const reason = isMarked ? undefined : whyMoot(report);
  if (reason !== undefined) return { kind: "refused", reason, report, events: [] };
  return tell(handle, { id: vote.id, send: (asked) => send(asked, cast), whyMoot });
}

function send(handle: ExecutionHandle, { verdict, name, vote }: Cast): Promise<Reception> {
  if (verdict !== "changes") return handle[verdict](name, vote);
  return handle.requestChanges(name, { ...vote, comment: vote.comment ?? "" });
}

function mootReason({ status, steps }: ExecutionReport, name: string, by: string): string | undefined {
  if (isTerminalStatus(status)) return "ended";
  const step = steps.find((each) => each.name === name);
  if (step?.detail.kind !== "wait" || step.detail.wait.kind !== "approval") return "not-waiting";
  const voters = step.detail.wait.by;
  return voters === undefined || voters.includes(by) ? undefined : "not-an-approver";
}

function voteOf({
  by = systemUser(),
  comment,
  id = randomUUID(),
}: BallotOptions): VoteOptions & { readonly id: string } {
  if (by.trim() === "") throw new UsageError("expected the name of who votes in --by, found none");
  return { by, id, ...(comment === undefined ? {} : { comment }) };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError("this system does not say who you are; name yourself with --by");
  }
}

/** How far the approval is now. */
function outcomeOf(step: StepSnapshot | undefined): string {
  if (step?.detail.kind !== "wait" || step.detail.wait.kind !== "approval")
    return step === undefined ? "" : `, which ${step.status === "succeeded" ? "is approved" : `has ${step.status}`}`;
  const { wait, votes = [] } = step.detail;
  return `: ${standingVotes(votes).length} of ${wait.quorum} so far`;
}

function refusalOf(reason: string, name: string, by: string, step: StepSnapshot | undefined): string | undefined {
  if (reason === "not-an-approver" && step?.detail.kind === "wait" && step.detail.wait.kind === "approval")
    return `${by} has no vote on ${name}; those who have are ${(step.detail.wait.by ?? []).join(", ")}`;
  if (reason === "not-waiting" || reason === "not-an-approval")
    return `${name} waits for no approval; it is ${step?.status ?? "gone"}`;
  return undefined;
}
