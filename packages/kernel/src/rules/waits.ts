// Waits: signals, approvals and times (BEYOND-2).
//
//   W1. A signal that arrives before a step waits for it is kept; a signal counts once, by its id.
//   W2. An approval is decided in the same turn as the vote that decides it.
//   W3. Only the latest vote of each voter counts; a request for changes starts the vote again.
//   W4. A vote whose answer does not fit the schema of the approval does not count, and the journal has the reason.
//   W5. A vote counts once, by its id, also if it arrives again after the step was decided or in a later round.

import type { ApprovalWait, Vote } from "../journal/event.ts";
import type { ApproveAction, JsonSchema } from "../model/definition.ts";
import type { Failure } from "../model/failure.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import { inlineValue, NULL_VALUE, VALUE_BYTES_MAX, type Value } from "../model/value.ts";
import type { Json } from "../model/json.ts";
import { effectiveVotes, voteKey, withVote } from "../state/votes.ts";
import { jsonSize } from "../data/jmespath/json-size.ts";
import { ContextMaker } from "./context.ts";
import { ACCEPTED, type Decision, type IgnoreReason } from "./decision.ts";
import { DecisionBuilder, ignore, needs } from "./decision-builder.ts";
import type { Happening } from "./happening.ts";
import { captureOutput, mismatch } from "./evaluate-step.ts";
import { stepNamed } from "../state/names.ts";
import { isTerminalStatus, SUSPENDED } from "../state/phase.ts";
import { compiledStep } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import type { StoredValues } from "./stored-values.ts";

export function decideSignalled(state: State, { id, name, payload, at }: Happening & { kind: "signalled" }): Decision {
  if (state.baseStatus === "none") return ignore(state, "not-started");
  if (isTerminalStatus(state.baseStatus)) return ignore(state, "ended");
  if (state.signals.seen.has(id)) return ignore(state, "duplicate");
  const builder = new DecisionBuilder(state, at);
  builder.emit({ kind: "signal.received", id, name, payload });
  return builder.finish();
}

/** Gives the oldest signal that fits to the step that has waited longest for its name; one pair for each decision. */
export function decideSignals(state: State, at: EpochMs, values: StoredValues): Decision {
  for (const [id, { name, payload }] of state.signals.pending) {
    for (const step of state.signals.waiting.get(name) ?? []) {
      if (!state.signals.refused.has(`${step} ${id}`))
        return deliver(state, step as StepIndex, id, payload, at, values);
    }
  }
  return new DecisionBuilder(state, at).finish(ACCEPTED, { queue: "signals", count: 1 });
}

function deliver(
  state: State,
  step: StepIndex,
  id: string,
  payload: Value,
  at: EpochMs,
  values: StoredValues,
): Decision {
  const builder = new DecisionBuilder(state, at);
  const { work } = compiledStep(state, step);
  const maker = new ContextMaker(state, values);
  const schema = work.kind === "signal" ? work.schema : undefined;
  const loaded = schema === undefined ? null : maker.load(payload);
  if (maker.needs.size > 0) return needs(maker.needs);
  const failure = schema === undefined ? undefined : mismatch("SIGNAL_INVALID", "the payload", schema, loaded, values);
  if (failure !== undefined) {
    builder.emit({ kind: "signal.refused", id, step, failure });
    return builder.finish();
  }
  return complete(state, step, payload, builder, values, id);
}

function complete(
  state: State,
  step: StepIndex,
  raw: Value,
  builder: DecisionBuilder,
  values: StoredValues,
  signal?: string,
): Decision {
  const output = captureOutput(state, step, raw, values);
  if (output.kind === "needs") return needs(output.values);
  if (output.kind === "failure") builder.emit({ kind: "step.failed", step, failure: output.failure });
  else
    builder.emit({ kind: "step.completed", step, output: output.value, ...(signal === undefined ? {} : { signal }) });
  builder.emitEffect({ kind: "disarm", timer: { kind: "wait", step } });
  return builder.finish();
}

/** A time has come: it is the awaited time itself, or the timeout of a wait. */
export function decideWaitOver(state: State, step: StepIndex, at: EpochMs, values: StoredValues): Decision {
  const event = state.phaseEvents[step];
  if (state.columns.phase[step] !== SUSPENDED || event?.kind !== "step.suspended") return ignore(state, "stale");
  const { wait } = event;
  const dueAt = wait.kind === "timer" ? wait.dueAt : wait.expiresAt;
  if (dueAt === undefined || at < dueAt) return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  if (wait.kind === "timer") return complete(state, step, NULL_VALUE, builder, values);
  if (wait.kind === "approval" && approveAction(state, step).onExpire === "approve")
    return completeApproval(
      state,
      step,
      { votes: effectiveVotes(state.votes.get(step) ?? []), isExpired: true },
      builder,
      values,
    );
  builder.emit({
    kind: "step.failed",
    step,
    failure: wait.kind === "signal" ? signalTimeout(wait.signal) : expiredFailure(),
  });
  return builder.finish();
}

function signalTimeout(signal: string): Failure {
  return { class: "timeout", code: "SIGNAL_TIMEOUT", message: `the signal \`${signal}\` did not arrive in time` };
}

function expiredFailure(): Failure {
  return { class: "timeout", code: "APPROVAL_EXPIRED", message: "the approval expired before its quorum was reached" };
}

function approveAction(state: State, step: number): Partial<ApproveAction> {
  const { work } = compiledStep(state, step);
  return work.kind === "approval" ? work.approve : {};
}

export function decideVoted(state: State, happening: Happening & { kind: "voted" }, values: StoredValues): Decision {
  const { id, by, verdict: vote, comment, answer, at } = happening;
  const approval = findApproval(state, happening);
  if (typeof approval === "string") return ignore(state, approval);
  const { step, wait } = approval;
  const builder = new DecisionBuilder(state, at);
  const failure = answerFailure(state, happening, approveAction(state, step).schema, values);
  if (failure !== undefined) {
    builder.emit({ kind: "approval.refused", step, id, by, failure });
    return builder.finish({ kind: "refused", failure });
  }
  const cast: Vote = {
    id,
    by,
    verdict: vote,
    ...(comment === undefined ? {} : { comment }),
    ...(answer === undefined ? {} : { answer }),
  };
  builder.emit({ kind: "approval.voted", step, ...cast });
  return countVotes(state, step, wait, withVote(state.votes.get(step) ?? [], cast), builder, values);
}

function answerFailure(
  state: State,
  { verdict: vote, answer, step }: Happening & { kind: "voted" },
  schema: JsonSchema | undefined,
  values: StoredValues,
): Failure | undefined {
  if (schema !== undefined && vote === "approve") {
    const given = new ContextMaker(state, values).load(answer);
    if (answer !== undefined) return mismatch("ANSWER_INVALID", "the answer", schema, given, values);
    return answerInvalid(`\`${step}\` asks for an answer, and the vote has none`);
  }
  if (answer === undefined) return undefined;
  if (schema === undefined) return answerInvalid(`\`${step}\` has no schema for an answer, so a vote cannot have one`);
  return answerInvalid("only a vote that approves has an answer");
}

function answerInvalid(message: string): Failure {
  return { class: "permanent", code: "ANSWER_INVALID", message };
}

/** The step that a vote is about, or why the vote does not count. */
function findApproval(
  state: State,
  { step: name, id, by }: Happening & { kind: "voted" },
): { readonly step: StepIndex; readonly wait: ApprovalWait } | IgnoreReason {
  const step = stepNamed(state, name);
  if (state.baseStatus === "none") return "not-started";
  if (step !== undefined && state.seenVotes.has(voteKey(step, id))) return "duplicate";
  if (isTerminalStatus(state.baseStatus)) return "ended";
  if (step === undefined) return "unknown-step";
  if (compiledStep(state, step).work.kind !== "approval") return "not-an-approval";
  const event = state.phaseEvents[step];
  if (state.columns.phase[step] !== SUSPENDED || event?.kind !== "step.suspended" || event.wait.kind !== "approval")
    return "not-waiting";
  const { wait } = event;
  return wait.by === undefined || wait.by.includes(by) ? { step, wait } : "not-an-approver";
}

function countVotes(
  state: State,
  step: StepIndex,
  wait: ApprovalWait,
  votes: readonly Vote[],
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const counted = effectiveVotes(votes);
  const rejection = counted.find((vote) => vote.verdict === "reject");
  if (rejection !== undefined) {
    builder.emit({ kind: "step.failed", step, failure: rejectedFailure(rejection) });
    builder.emitEffect({ kind: "disarm", timer: { kind: "wait", step } });
    return builder.finish();
  }
  if (counted.length < wait.quorum) return builder.finish();
  return completeApproval(state, step, { votes: counted, isExpired: false }, builder, values);
}

function rejectedFailure({ by, comment }: Vote): Failure {
  return {
    class: "permanent",
    code: "APPROVAL_REJECTED",
    message: comment === undefined ? `${by} rejected it` : `${by} rejected it: ${comment}`,
  };
}

interface ApprovalOutcome {
  /** The votes that count. */
  readonly votes: readonly Vote[];
  readonly isExpired: boolean;
}

function completeApproval(
  state: State,
  step: StepIndex,
  { votes, isExpired }: ApprovalOutcome,
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const maker = new ContextMaker(state, values);
  const hasAnswers = approveAction(state, step).schema !== undefined;
  const cast = votes.map(({ by, verdict, comment = null, answer }) =>
    hasAnswers ? { by, verdict, comment, answer: maker.load(answer) } : { by, verdict, comment },
  );
  if (maker.needs.size > 0) return needs(maker.needs);
  // The answer of an approval is the answer of the vote that decided it; an approval that expired has none.
  const answer = hasAnswers ? { answer: isExpired ? null : maker.load(votes.at(-1)?.answer) } : {};
  const output: Json = { approved: true, expired: isExpired, votes: cast, ...answer };
  // JOURNAL-4.
  if (jsonSize(output, VALUE_BYTES_MAX) > VALUE_BYTES_MAX) {
    builder.emit({ kind: "step.failed", step, failure: OUTPUT_TOO_LARGE });
    builder.emitEffect({ kind: "disarm", timer: { kind: "wait", step } });
    return builder.finish();
  }
  return complete(state, step, inlineValue(output), builder, values);
}

const OUTPUT_TOO_LARGE: Failure = {
  class: "permanent",
  code: "VALUE_TOO_LARGE",
  message: `the comments and answers of the votes have more than ${VALUE_BYTES_MAX} bytes together`,
};
