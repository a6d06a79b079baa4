// An execution as `run --json` and `show --json` print it.

import type { Json } from "@segno/kernel";

import { omitUndefined } from "../plan/omit-undefined.ts";
import type { ExecutionProgress } from "./execution-progress.ts";
import type { StepProgress } from "./step-progress.ts";

export function executionJson(progress: ExecutionProgress, output: Json | undefined): object {
  const { id, workflow, status, round, createdAt, beganAt, endedAt, failure, reason, steps, done, total } = progress;
  const durationMs = beganAt === undefined || endedAt === undefined ? undefined : endedAt - beganAt;
  const notUndone = progress.notUndone.length === 0 ? undefined : progress.notUndone;
  return {
    id,
    workflow,
    status,
    round,
    ...omitUndefined({ createdAt, completedAt: endedAt, durationMs, failure, notUndone, reason, output }),
    progress: { done, total },
    steps: steps.map((step) => stepJson(step, progress)),
  };
}

function stepJson(step: StepProgress, progress: ExecutionProgress): object {
  const {
    name,
    label,
    workflow,
    undone,
    status,
    attempt,
    endedAt,
    dueAt,
    failure,
    skip,
    wait,
    votes,
    stopped,
    reason,
  } = step;
  const startedAt = startTime(step);
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
  return {
    name,
    ...omitUndefined({ label, workflow }),
    status,
    ...omitUndefined({ undone }),
    attempts: attempt,
    ...omitUndefined({ startedAt, completedAt: endedAt, durationMs, dueAt, failure, wait, votes, stopped, reason }),
    ...(skip === undefined ? {} : { skip: namedSkip(skip, progress) }),
  };
}

/** As in `status()`: a step that ends without an attempt or a wait starts when it ends. */
function startTime({ startedAt, status, endedAt }: StepProgress): number | undefined {
  return startedAt ?? (status === "succeeded" || status === "failed" ? endedAt : undefined);
}

/** Replaces the step indexes of a skip reason by names. */
function namedSkip(skip: NonNullable<StepProgress["skip"]>, progress: ExecutionProgress): object {
  const stepName = (index: number): string => progress.step(index)?.name ?? `#${index}`;
  if (skip.kind === "dependency-failed") return { kind: skip.kind, dependency: stepName(skip.dependency) };
  return skip.kind === "fallback-unused" ? { kind: skip.kind, primary: stepName(skip.primary) } : skip;
}
