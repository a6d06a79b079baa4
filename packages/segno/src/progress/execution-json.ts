// An execution as `run --json` and `show --json` print it.

import type { StepProgress } from "@segno/engine";
import type { Json, SkipReason, Vote } from "@segno/kernel";

import { omitUndefined } from "../plan/omit-undefined.ts";
import type { FollowedExecution } from "./followed-execution.ts";
import { dueTime, skipReason, type ShownStep } from "./shown-step.ts";

export function executionJson(execution: FollowedExecution, output: Json | undefined): object {
  const { id, workflow, status, round, createdAt, beganAt, endedAt, failure, reason, steps } = execution;
  const { total, ended: done, items, itemsEnded } = execution.progress;
  const durationMs = beganAt === undefined || endedAt === undefined ? undefined : endedAt - beganAt;
  const notUndone = execution.notUndone.length === 0 ? undefined : execution.notUndone;
  return {
    id,
    workflow,
    status,
    round,
    ...(Object.keys(execution.labels).length === 0 ? {} : { labels: execution.labels }),
    ...(execution.toleratedFailures === 0 ? {} : { toleratedFailures: execution.toleratedFailures }),
    ...omitUndefined({ createdAt, completedAt: endedAt, durationMs, failure, notUndone, reason, output }),
    progress: { done, total, ...(items === 0 ? {} : { items, itemsDone: itemsEnded }) },
    steps: steps.map((step) => stepJson(step, execution)),
  };
}

export function stepJson(step: ShownStep, execution: FollowedExecution): object {
  const { index, name, workflow, undone, status, attempts, startedAt, completedAt, durationMs } = step;
  const skip = skipReason(step);
  return {
    name,
    ...omitUndefined({ label: execution.labelOf(index), workflow }),
    ...(execution.isInternal(index) ? { internal: true } : {}),
    status,
    ...omitUndefined({ undone }),
    attempts,
    ...omitUndefined({ startedAt, completedAt, durationMs, dueAt: dueTime(step), ...detailJson(step) }),
    ...omitUndefined({ progress: progressJson(execution.progressOf(index)) }),
    ...(skip === undefined ? {} : { skip: namedSkip(skip, execution) }),
  };
}

function progressJson(progress: StepProgress | undefined): object | undefined {
  if (progress === undefined) return undefined;
  const { fraction, done, total, message, at } = progress;
  return { fraction, ...omitUndefined({ done, total, message }), at };
}

function detailJson({ detail }: ShownStep): object {
  switch (detail.kind) {
    case "failure":
      return { failure: detail.failure };
    case "wait":
      return { wait: detail.wait, votes: detail.votes?.map(voteJson) };
    case "stopped":
      return { stopped: detail.ended, reason: detail.reason };
    case "stopping":
      return { reason: detail.reason };
    default:
      return {};
  }
}

/** An answer that the store keeps beside the journal is left out. */
function voteJson({ answer, ...vote }: Vote): object {
  return answer?.kind === "inline" ? { ...vote, answer: answer.json } : vote;
}

/** Replaces the step indexes of a skip reason by names. */
function namedSkip(skip: SkipReason, execution: FollowedExecution): object {
  if (skip.kind === "dependency-failed") return { kind: skip.kind, dependency: execution.nameOf(skip.dependency) };
  return skip.kind === "fallback-unused" ? { kind: skip.kind, primary: execution.nameOf(skip.primary) } : skip;
}
