// Consequences for other steps when a step failed, was skipped, or was the last to end in its scope.

import { withoutStacks, type Failure } from "../model/failure.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import { EDGE_SUCCEEDED } from "../graph/graph.ts";
import { compensationOrder, notUndone } from "../state/compensation.ts";
import { ContextMaker } from "./context.ts";
import { ACCEPTED, type ConsumedEntry, type Decision } from "./decision.ts";
import { DecisionBuilder, needs, toRanges } from "./decision-builder.ts";
import { captureOutput, renderResult, type StepEvaluation } from "./evaluate-step.ts";
import { stepName } from "../state/names.ts";
import { CANCELLED, CANCELLING, FAILED, OPEN, WAITING } from "../state/phase.ts";
import { mayRun } from "../state/permission.ts";
import { localStep, type Region } from "../state/region.ts";
import { iterationEnd, type IterationEnd } from "./repeat.ts";
import { scopeDeadline } from "./scope-deadline.ts";
import { compiledStep, findRegion, lastChildRegion, stopsOthers } from "../state/step-position.ts";
import { stopReason, type State } from "../state/state.ts";
import { stopFailing } from "./stop.ts";
import type { StoredValues } from "./stored-values.ts";

/** STATE-7: a step failed for good. Its execution or its scope fails with it, unless `onError` of the step says otherwise. */
export function decideFailed(state: State, step: number, at: EpochMs): Decision {
  const builder = new DecisionBuilder(state, at);
  const consumed: ConsumedEntry = { queue: "failed", count: 1 };
  const region = findRegion(state, step);
  if (state.columns.phase[step] !== FAILED || compiledStep(state, step).definition.onError === "continue")
    return builder.finish(ACCEPTED, consumed);
  if (region.kind === "root") failExecution(state, step, builder);
  else if (region.kind !== "compensation") failScope(state, region, step, builder);
  return builder.finish(ACCEPTED, consumed);
}

function failExecution(state: State, step: number, builder: DecisionBuilder): void {
  if (state.baseStatus !== "running" && state.baseStatus !== "failing") return;
  if (state.baseStatus === "running")
    builder.emit({ kind: "execution.failing", failure: stepFailure(state, step), step: step as StepIndex });
  // It may be failing already because of a step that stops nothing.
  if (stopsOthers(state, step)) stopFailing(state, builder, `\`${stepName(state, step)}\` failed`);
}

function failScope(state: State, region: Region, step: number, builder: DecisionBuilder): void {
  if (state.columns.phase[region.parent] !== OPEN || isTolerated(state, region)) return;
  if (region.failure === undefined)
    builder.emit({
      kind: "step.failing",
      step: region.parent as StepIndex,
      failure: stepFailure(state, step),
      child: step as StepIndex,
    });
  // Items and steps made at run time are branches of their workflow, so its failure mode applies to them.
  const stopping = stopsOthers(state, step) ? step : region.stoppingStep;
  if (stopping >= 0) stopFailing(state, builder, `\`${stepName(state, stopping)}\` failed`, region.parent);
}

function isTolerated(state: State, region: Region): boolean {
  return region.kind === "items" && region.failedInstances.size <= toleratedItems(state, region);
}

/** How many items of a map may fail. */
function toleratedItems(state: State, region: Region): number {
  const { work } = compiledStep(state, region.parent);
  if (work.kind !== "items") return 0;
  const items = region.size / region.stride;
  // A share such as 29% of 100 items is not exact in binary, so a value slightly below a whole number is rounded up.
  const share = Math.floor(work.tolerance.share * items + 1e-9);
  return Math.max(work.tolerance.count, share);
}

function stepFailure(state: State, step: number): Failure {
  const event = state.phaseEvents[step];
  return event?.kind === "step.failed"
    ? withoutStacks(event.failure)
    : { class: "permanent", code: "SCOPE_FAILED", message: `\`${stepName(state, step)}\` failed` };
}

/** STATE-5: steps that needed the success of a step that did not succeed are skipped, with their dependants, in one event. */
export function decideBroken(state: State, at: EpochMs): Decision {
  const { blockedSteps } = state.agenda;
  const blame = blockedSteps.peek(1)!;
  const roots: number[] = [];
  while (blockedSteps.size > roots.length * 2 && blockedSteps.peek(roots.length * 2 + 1) === blame)
    roots.push(blockedSteps.peek(roots.length * 2)!);
  const builder = new DecisionBuilder(state, at);
  const skipped = closure(state, roots);
  if (skipped.length > 0) {
    builder.emit({
      kind: "steps.skipped",
      steps: toRanges(skipped),
      reason: { kind: "dependency-failed", dependency: blame as StepIndex },
    });
  }
  return builder.finish(ACCEPTED, { queue: "blockedSteps", count: roots.length * 2 });
}

function closure(state: State, roots: readonly number[]): readonly number[] {
  const steps = new Set(roots.filter((step) => state.columns.phase[step] === WAITING));
  for (const step of steps) {
    const region = findRegion(state, step);
    const local = localStep(region, step);
    const { offsets, targets, kinds } = region.program.graph.dependants;
    for (let edge = offsets[local]!; edge < offsets[local + 1]!; edge++) {
      const dependant = step - local + targets[edge]!;
      if (kinds[edge] === EDGE_SUCCEEDED && state.columns.phase[dependant] === WAITING) steps.add(dependant);
    }
  }
  return [...steps].toSorted((a, b) => a - b);
}

/** STATE-8: the primary ended and did not need its fallback. */
export function decideUnused(state: State, step: number, at: EpochMs): Decision {
  const builder = new DecisionBuilder(state, at);
  if (state.columns.phase[step] === WAITING) {
    const region = findRegion(state, step);
    const local = localStep(region, step);
    const primary = (step - local + region.program.steps[local]!.primary) as StepIndex;
    builder.emit({ kind: "steps.skipped", steps: toRanges([step]), reason: { kind: "fallback-unused", primary } });
  }
  return builder.finish(ACCEPTED, { queue: "unneededFallbacks", count: 1 });
}

/** Every step of a region has ended: its scope or its execution settles. */
export function decideSettled(state: State, index: number, at: EpochMs, values: StoredValues): Decision {
  const region = state.regions[index]!;
  const builder = new DecisionBuilder(state, at);
  const consumed: ConsumedEntry = { queue: "settledRegions", count: 1 };
  const hasNext = region.kind === "iteration" && lastChildRegion(state, region.parent) !== region;
  if (region.unsettled > 0 || hasNext) return builder.finish(ACCEPTED, consumed);
  if (region.parent < 0) return finish(state, builder, consumed, values);
  return settleScope(state, region, builder, consumed, values);
}

/** A scope that does not repeat. */
const ENDED: IterationEnd = Object.freeze({ kind: "ended" });

function settleScope(
  state: State,
  region: Region,
  builder: DecisionBuilder,
  consumed: ConsumedEntry,
  values: StoredValues,
): Decision {
  const parent = region.parent as StepIndex;
  const phase = state.columns.phase[parent];
  const isOver = region.failure !== undefined || phase !== OPEN || hasCancelled(state, region);
  const end = region.kind === "iteration" && !isOver ? iterationEnd(state, region, values) : ENDED;
  if (end.kind === "needs") return needs(end.values);
  if (end.kind === "again" && mayRun(state, parent)) {
    builder.emit({ kind: "step.repeated", step: parent, iteration: region.iteration + 1 });
    return builder.finish(ACCEPTED, consumed);
  }
  if (scopeDeadline(state, parent) !== undefined)
    builder.emitEffect({ kind: "disarm", timer: { kind: "scope-deadline", step: parent } });
  if (phase === OPEN && region.failure !== undefined)
    builder.emit({ kind: "step.failed", step: parent, failure: scopeFailure(state, region, region.failure) });
  else if (phase === CANCELLING || (phase === OPEN && (end.kind === "again" || hasCancelled(state, region))))
    builder.emit({ kind: "step.cancelled", step: parent, ended: "itself", reason: stopReason(state, parent) });
  else if (end.kind === "failure") builder.emit({ kind: "step.failed", step: parent, failure: end.failure });
  else if (phase === OPEN) {
    const output = scopeOutput(state, region, values);
    if (output.kind === "needs") return needs(output.values);
    if (output.kind === "failure") builder.emit({ kind: "step.failed", step: parent, failure: output.failure });
    else builder.emit({ kind: "step.completed", step: parent, output: output.value });
  }
  return builder.finish(ACCEPTED, consumed);
}

/** CANCEL-3: in a drain, a scope ends normally if none of its children was cancelled. */
function hasCancelled(state: State, region: Region): boolean {
  return (
    state.baseStatus === "cancelling" &&
    state.columns.phase.subarray(region.base, region.base + region.size).includes(CANCELLED)
  );
}

function scopeFailure(state: State, region: Region, { failure, child }: NonNullable<Region["failure"]>): Failure {
  if (child === undefined) return failure;
  // The message of a scope names the failed step inside it; the enclosing scopes repeat the message and do not extend it.
  const isScope = failure.code === "SCOPE_FAILED" && failure.cause !== undefined;
  const cause = isScope ? failure.message : `\`${stepName(state, child)}\` failed: ${failure.message}`;
  const message = `${itemCount(state, region)}${cause}`;
  return { class: "permanent", code: "SCOPE_FAILED", message, cause: failure };
}

/** How many items failed, if more than one. The child is the one that exceeded the tolerance; others may have failed since. */
function itemCount(state: State, region: Region): string {
  const failed = region.failedInstances.size;
  if (region.kind !== "items" || failed < 2) return "";
  const tolerated = toleratedItems(state, region);
  const bound = tolerated === 0 ? "" : `, ${tolerated} ${tolerated === 1 ? "is" : "are"} tolerated`;
  const last = failed === tolerated + 1 ? "the last" : "one of them";
  return `${failed} of ${region.size / region.stride} items failed${bound}; ${last}: `;
}

function scopeOutput(state: State, region: Region, values: StoredValues): StepEvaluation<Value> {
  const raw = rawScopeOutput(state, region, values);
  return raw.kind === "evaluated" ? captureOutput(state, region.parent, raw.value, values) : raw;
}

function rawScopeOutput(state: State, region: Region, values: StoredValues): StepEvaluation<Value> {
  if (region.kind === "workflow") return renderResult(state, region, values);
  if (region.kind === "items" || region.result < 0) return { kind: "evaluated", value: { kind: "gathered" } };
  const maker = new ContextMaker(state, values);
  const json = maker.stepOutput(region.base + region.result);
  return maker.needs.size > 0
    ? { kind: "needs", values: maker.needs }
    : { kind: "evaluated", value: { kind: "inline", json } };
}

/** STATE-1: an execution is terminal only when the last attempt and the last compensation have ended. */
function finish(state: State, builder: DecisionBuilder, consumed: ConsumedEntry, values: StoredValues): Decision {
  const isOver = state.regions.every((region) => region.parent >= 0 || region.unsettled === 0);
  if (!isOver) return builder.finish(ACCEPTED, consumed);
  switch (state.baseStatus) {
    case "running": {
      const result = renderResult(state, state.regions[0]!, values);
      if (result.kind === "needs") return needs(result.values);
      if (result.kind === "failure") return failWithoutOutput(state, result.failure, builder, consumed);
      builder.emit({ kind: "execution.completed", output: result.value });
      break;
    }
    case "failing":
      finishFailing(state, builder);
      break;
    case "cancelling":
      finishCancelling(state, builder);
      break;
    default:
      break;
  }
  return builder.finish(ACCEPTED, consumed);
}

/**
 * If a failure means undoing, the compensation comes first: the agenda entry is not consumed, so the end is decided again while
 * the execution is failing.
 */
function failWithoutOutput(
  state: State,
  failure: Failure,
  builder: DecisionBuilder,
  consumed: ConsumedEntry,
): Decision {
  const isUndone = state.program.definition.onFailure === "compensate" && compensationOrder(state).length > 0;
  if (isUndone) builder.emit({ kind: "execution.failing", failure });
  else builder.emit({ kind: "execution.failed", failure });
  return isUndone ? builder.finish() : builder.finish(ACCEPTED, consumed);
}

function finishFailing(state: State, builder: DecisionBuilder): void {
  if (compensates(state, state.program.definition.onFailure === "compensate", builder)) return;
  const { failure, step } = state.failure!;
  const left = notUndone(state);
  builder.emit({
    kind: "execution.failed",
    failure,
    ...(step === undefined ? {} : { step }),
    ...(left.length === 0 ? {} : { notUndone: left }),
  });
}

function finishCancelling(state: State, builder: DecisionBuilder): void {
  const { reason, compensate } = state.cancelling!;
  if (compensates(state, compensate, builder)) return;
  const left = notUndone(state);
  builder.emit({ kind: "execution.cancelled", reason, ...(left.length === 0 ? {} : { notUndone: left }) });
}

/** A compensation begins when all steps have ended, and once a round. */
function compensates(state: State, isWanted: boolean, builder: DecisionBuilder): boolean {
  if (!isWanted || state.undoes.size > 0) return false;
  const steps = compensationOrder(state);
  if (steps.length > 0) builder.emit({ kind: "execution.compensating", steps });
  return steps.length > 0;
}
