// Sends a vote for `segno approve` and `segno reject`, and prints the result.

import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";

import type { ExecutionHandle, ExecutionReport, CommandResult, VoteOptions } from "@segno/engine";
import { effectiveVotes, isTerminalStatus, SegnoError, type Event, type StepSnapshot, type Vote } from "@segno/kernel";

import { readInputArgument } from "../document/input-argument.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { findStep } from "../lookup/find-step.ts";
import { serverUrl } from "../journal/journal-options.ts";
import { openToControl } from "../remote/open-inspected.ts";
import { sendMessage, type DeliveryResult } from "../control/send-message.ts";
import type { ExitCode } from "../errors/exit-code.ts";
import { titleText } from "../progress/step-title.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import { printDelivery, type DeliveryReport } from "../reports/delivery-report.ts";

export interface VoteCommandOptions extends ControlOptions {
  readonly by?: string;
  readonly comment?: string;
  /** JSON, or `@file`. Only `approve` has it. */
  readonly answer?: string;
  readonly id?: string;
}

export interface VoteCommand {
  readonly verb: "approve" | "reject";
  readonly verdict: Vote["verdict"];
  readonly id: string;
  readonly step: string;
  readonly options: VoteCommandOptions;
}

export async function sendVote(command: VoteCommand, terminal: Terminal): Promise<ExitCode> {
  const { verb, verdict, options } = command;
  const vote = await toVote(options, await voterName(options));
  await using engine = await openToControl(options);
  const handle = await findExecution(engine, command.id);
  const report = await handle.status();
  const { name } = findStep(handle.id, report, command.step);
  const hasGivenId = options.id !== undefined;
  const delivery = await deliverVote(handle, report, { verdict, name, vote, hasGivenId });
  const now = delivery.report.steps.find((step) => step.name === name);
  return printDelivery({
    verb,
    what: "vote",
    id: handle.id,
    delivery,
    ...describeVote(
      delivery,
      `${vote.by} ${VERDICT_VERBS[verdict]} ${titleText(now ?? { name })}${approvalOutcome(now)}`,
    ),
    refusal: delivery.kind === "refused" ? refusalText(delivery.reason, name, vote.by, now) : undefined,
    facts: { step: name, by: vote.by, verdict, voteId: vote.id, ...refusedFacts(delivery) },
    isElsewhere: !engine.isOwner,
    options,
    terminal,
  });
}

const VERDICT_VERBS: Readonly<Record<Vote["verdict"], string>> = {
  approve: "approved",
  reject: "rejected",
  changes: "requested changes to",
};

interface PendingVote {
  readonly verdict: Vote["verdict"];
  readonly name: string;
  readonly vote: VoteOptions & { readonly id: string };
  /** The caller chose the id, so the vote may have been sent before. */
  readonly hasGivenId: boolean;
}

/** Refuses a vote that cannot count before it is posted. Only the journal knows whether a given id was sent before. */
async function deliverVote(
  handle: ExecutionHandle,
  report: ExecutionReport,
  pending: PendingVote,
): Promise<DeliveryResult> {
  const { name, vote, hasGivenId } = pending;
  const reasonIn = (now: ExecutionReport): string | undefined => obsoleteReason(now, name, vote.by);
  const reason = hasGivenId ? undefined : reasonIn(report);
  if (reason !== undefined) return { kind: "refused", reason, report, events: [] };
  return sendMessage(handle, { id: vote.id, send: (target) => send(target, pending), obsoleteReason: reasonIn });
}

/** The journal records a vote with an invalid answer, with the reason. */
async function send(handle: ExecutionHandle, pending: PendingVote): Promise<CommandResult> {
  try {
    return await cast(handle, pending);
  } catch (error) {
    if (error instanceof SegnoError && error.code === "ANSWER_INVALID") return { kind: "accepted" };
    throw error;
  }
}

function cast(handle: ExecutionHandle, { verdict, name, vote }: PendingVote): Promise<CommandResult> {
  if (verdict !== "changes") return handle[verdict](name, vote);
  return handle.requestChanges(name, { ...vote, comment: vote.comment ?? "" });
}

function refusedVote({ events }: DeliveryResult): (Event & { readonly kind: "approval.refused" }) | undefined {
  return events.findLast((event) => event.kind === "approval.refused");
}

function refusedFacts(delivery: DeliveryResult): object {
  const refused = refusedVote(delivery);
  return refused === undefined ? {} : { failure: { code: refused.failure.code, message: refused.failure.message } };
}

/** `said` is the sentence for a vote that counts. */
function describeVote(delivery: DeliveryResult, said: string): Pick<DeliveryReport, "said" | "isUnfit"> {
  const refused = refusedVote(delivery);
  if (refused === undefined) return { said };
  return { said: `the vote of ${refused.by} does not count: ${refused.failure.message}`, isUnfit: true };
}

function obsoleteReason({ status, steps }: ExecutionReport, name: string, by: string): string | undefined {
  if (isTerminalStatus(status)) return "ended";
  const step = steps.find((each) => each.name === name);
  if (step?.detail.kind !== "wait" || step.detail.wait.kind !== "approval") return "not-waiting";
  const voters = step.detail.wait.by;
  return voters === undefined || voters.includes(by) ? undefined : "not-an-approver";
}

async function toVote(
  { comment, answer, id = randomUUID() }: VoteCommandOptions,
  by: string,
): Promise<VoteOptions & { readonly id: string }> {
  return {
    by,
    id,
    ...(comment === undefined ? {} : { comment }),
    ...(answer === undefined ? {} : { answer: await readInputArgument(answer, "--answer") }),
  };
}

/** A server counts the vote for the name of the token. */
async function voterName(options: VoteCommandOptions): Promise<string> {
  const url = serverUrl(options);
  if (url === undefined) {
    const { by = systemUser() } = options;
    if (by.trim() === "") throw new UsageError("--by must not be empty");
    return by;
  }
  if (options.by !== undefined)
    throw new UsageError("--by cannot be used with a server: the name of the token counts as the voter");
  const { openClient } = await import("../remote/open-client.ts");
  return (await openClient(url).caller()).name;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError("the user of this system is unknown; pass a name with --by");
  }
}

/** The state of the approval after the vote. */
function approvalOutcome(step: StepSnapshot | undefined): string {
  if (step?.detail.kind !== "wait" || step.detail.wait.kind !== "approval")
    return step === undefined ? "" : `, which ${step.status === "succeeded" ? "is approved" : `has ${step.status}`}`;
  const { wait, votes = [] } = step.detail;
  return `: ${effectiveVotes(votes).length} of ${wait.quorum} so far`;
}

function refusalText(reason: string, name: string, by: string, step: StepSnapshot | undefined): string | undefined {
  if (reason === "not-an-approver" && step?.detail.kind === "wait" && step.detail.wait.kind === "approval")
    return `${by} may not vote on ${name}; the voters are ${(step.detail.wait.by ?? []).join(", ")}`;
  if (reason === "not-waiting" || reason === "not-an-approval")
    return `${name} does not wait for approval; it is ${step?.status ?? "gone"}`;
  return undefined;
}
