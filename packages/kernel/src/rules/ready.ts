// A step whose dependencies are met (STATE-4): its condition, its input, and then its work.

import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Failure } from "../model/failure.ts";
import { isJsonArray, type Json } from "../model/json.ts";
import { epochMs, type EpochMs, type StepIndex } from "../model/units.ts";
import { inlineValue, NULL_VALUE } from "../model/value.ts";
import type { ApprovalWait, Wait } from "../journal/event.ts";
import { parseTime } from "../data/time.ts";
import { notAListMessage, notATimeMessage } from "../data/type-mismatch-messages.ts";
import type { CompiledStep, CompiledWork } from "../program/program.ts";
import { AdmitRecord } from "./attempt-records.ts";
import { ACCEPTED, type Decision } from "./decision.ts";
import { DecisionBuilder, needs } from "./decision-builder.ts";
import {
  renderCall,
  evaluateCondition,
  evaluateExpression,
  captureOutput,
  renderTemplate,
  type StepEvaluation,
} from "./evaluate-step.ts";
import { mayStart } from "../state/permission.ts";
import { WAITING } from "../state/phase.ts";
import { boundScope } from "./scope-deadline.ts";
import { compiledStep, isOrdinary } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import { tooDeep } from "./scope-depth.ts";
import type { StoredValues } from "./stored-values.ts";

const CONSUMED_READY = Object.freeze({ queue: "ready", count: 1 } as const);

export function decideReady(state: State, step: number, at: EpochMs, values: StoredValues): Decision {
  const builder = new DecisionBuilder(state, at);
  if (!isStillReady(state, step)) return builder.finish(ACCEPTED, CONSUMED_READY);
  if (isOrdinary(state, step)) return queue(state, step, builder, values);
  const compiled = compiledStep(state, step);
  if (compiled.when !== undefined) {
    const condition = evaluateCondition(state, step, compiled.when, values);
    if (condition.kind === "needs") return needs(condition.values);
    if (condition.kind === "failure") return failStep(builder, step, condition.failure);
    if (!condition.value) {
      builder.emit({ kind: "step.skipped", step: step as StepIndex, reason: { kind: "condition" } });
      return builder.finish(ACCEPTED, CONSUMED_READY);
    }
  }
  return begin(state, step, compiled, builder, values);
}

function isStillReady(state: State, step: number): boolean {
  const { phase, unmet, queued } = state.columns;
  return phase[step] === WAITING && unmet[step] === 0 && queued[step] === 0 && mayStart(state, step);
}

function failStep(builder: DecisionBuilder, step: number, failure: Failure): Decision {
  builder.emit({ kind: "step.failed", step: step as StepIndex, failure });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

function begin(
  state: State,
  step: number,
  compiled: CompiledStep,
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const { work } = compiled;
  switch (work.kind) {
    case "call":
      return queue(state, step, builder, values);
    case "barrier":
      return completeBarrier(state, step, builder, values);
    case "workflow":
      return resolve(state, step, work.workflow, builder);
    case "items":
      return expand(state, step, work, builder, values);
    case "repeat":
      return repeat(state, step, builder);
    case "signal": {
      const expiresAt = work.timeout === undefined ? undefined : epochMs(builder.at + work.timeout);
      return suspend(
        builder,
        step,
        { kind: "signal", signal: work.signal, ...(expiresAt === undefined ? {} : { expiresAt }) },
        expiresAt,
      );
    }
    case "duration": {
      const dueAt = epochMs(builder.at + work.for);
      return suspend(builder, step, { kind: "timer", dueAt }, dueAt);
    }
    case "time":
      return waitUntil(state, step, work, builder, values);
    case "approval":
      return askApproval(state, step, work, builder, values);
  }
}

/** The call is rendered now, so that a step with a bad input fails without taking a slot. */
function queue(state: State, step: number, builder: DecisionBuilder, values: StoredValues): Decision {
  let call = state.calls.size === 0 ? undefined : state.calls.get(step);
  if (call === undefined) {
    const evaluated = renderCall(state, step, values);
    if (evaluated.kind === "needs") return needs(evaluated.values);
    if (evaluated.kind === "failure") return failStep(builder, step, evaluated.failure);
    call = evaluated.value;
  }
  builder.queue(step, call);
  builder.emitEffect(new AdmitRecord(step as StepIndex));
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

/** A barrier requests nothing and waits for nothing: its dependants continue in the same turn. */
function completeBarrier(state: State, step: number, builder: DecisionBuilder, values: StoredValues): Decision {
  const output = captureOutput(state, step, NULL_VALUE, values);
  if (output.kind === "needs") return needs(output.values);
  if (output.kind === "failure") return failStep(builder, step, output.failure);
  builder.emit({ kind: "step.completed", step: step as StepIndex, output: output.value });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

function resolve(state: State, step: number, workflow: string, builder: DecisionBuilder): Decision {
  const depth = tooDeep(state, step);
  if (depth !== undefined) return failStep(builder, step, depth);
  builder.queue(step, undefined);
  builder.emitEffect({ kind: "resolve-definition", step: step as StepIndex, workflow });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

function expand(
  state: State,
  step: number,
  work: CompiledWork & { kind: "items" },
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const depth = tooDeep(state, step);
  if (depth !== undefined) return failStep(builder, step, depth);
  const items = evaluateExpression(state, step, work.over, values);
  if (items.kind === "needs") return needs(items.values);
  if (items.kind === "failure") return failStep(builder, step, items.failure);
  if (!isJsonArray(items.value))
    return failStep(builder, step, permanent("MAP_NOT_A_LIST", notAListMessage(work.over.expression, items.value)));
  const deadline = boundScope(state, step as StepIndex, builder);
  builder.emit({
    kind: "step.expanded",
    step: step as StepIndex,
    children: { kind: "items", count: items.value.length, items: inlineValue(items.value) },
    ...(deadline === undefined ? {} : { deadline }),
  });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

/** STATE-13: the first iteration. */
function repeat(state: State, step: number, builder: DecisionBuilder): Decision {
  const depth = tooDeep(state, step);
  if (depth !== undefined) return failStep(builder, step, depth);
  const deadline = boundScope(state, step as StepIndex, builder);
  builder.emit({
    kind: "step.expanded",
    step: step as StepIndex,
    children: { kind: "iteration" },
    ...(deadline === undefined ? {} : { deadline }),
  });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

function permanent(code: KernelErrorCode, message: string): Failure {
  return { class: "permanent", code, message };
}

function suspend(builder: DecisionBuilder, step: number, wait: Wait, dueAt: EpochMs | undefined): Decision {
  builder.emit({ kind: "step.suspended", step: step as StepIndex, wait });
  if (dueAt !== undefined) builder.emitEffect({ kind: "arm", timer: { kind: "wait", step: step as StepIndex }, dueAt });
  return builder.finish(ACCEPTED, CONSUMED_READY);
}

function waitUntil(
  state: State,
  step: number,
  work: CompiledWork & { kind: "time" },
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const until: StepEvaluation<Json> = renderTemplate(state, step, work.until, values);
  if (until.kind === "needs") return needs(until.values);
  if (until.kind === "failure") return failStep(builder, step, until.failure);
  const dueAt = parseTime(until.value);
  if (dueAt === undefined)
    return failStep(builder, step, permanent("WAIT_TIME_INVALID", notATimeMessage(work.until.template, until.value)));
  return suspend(builder, step, { kind: "timer", dueAt }, dueAt);
}

function askApproval(
  state: State,
  step: number,
  { approve, message }: CompiledWork & { kind: "approval" },
  builder: DecisionBuilder,
  values: StoredValues,
): Decision {
  const text: StepEvaluation<Json> =
    message === undefined ? { kind: "evaluated", value: null } : renderTemplate(state, step, message, values);
  if (text.kind === "needs") return needs(text.values);
  if (text.kind === "failure") return failStep(builder, step, text.failure);
  const expiresAt = approve.expires === undefined ? undefined : epochMs(builder.at + approve.expires);
  const wait: ApprovalWait = {
    kind: "approval",
    quorum: approve.quorum ?? 1,
    ...(approve.by === undefined ? {} : { by: approve.by }),
    ...(text.value === null
      ? {}
      : { message: typeof text.value === "string" ? text.value : JSON.stringify(text.value) }),
    ...(approve.schema === undefined ? {} : { needsAnswer: true }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return suspend(builder, step, wait, expiresAt);
}
